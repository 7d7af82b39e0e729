// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connected socket: one read when it wakes the thread, one write at the end of a turn.
///
/// Unchecked: what varies is touched on the executor's thread only. Every way in asks for
/// `executor.loop` first, which traps on any other thread.
final class SocketStream: @unchecked Sendable {
    /// How many bytes may wait for the other side to read.
    static let pendingBytesLimit = 1 << 20

    /// How many reads a stream that can no longer be written may do before it closes, to hand up
    /// what the other side said before it left.
    static let lastReadsLimit = 64

    private let executor: AdapterExecutor
    private let name: String
    private let receive: @Sendable (TransportEvent) -> Void
    private let ended: @Sendable (TransportError?) -> Void

    /// Nil once closed.
    private var descriptor: Descriptor?
    private var pending: [UInt8] = []
    /// How much of `pending` is already written.
    private var writtenCount = 0
    private var isTurnEndAwaited = false
    private var isWritableAwaited = false

    /// Makes a stream that reads once it is started. `ended` is called last, and once.
    init(
        _ descriptor: Descriptor,
        name: String,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void,
        ended: @escaping @Sendable (TransportError?) -> Void
    ) {
        self.descriptor = descriptor
        self.name = name
        self.executor = executor
        self.receive = receive
        self.ended = ended
    }

    /// Begins to hand up what arrives.
    func start() {
        guard let descriptor else { return }
        executor.loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Gathers packets, to be written together when the turn ends.
    func send(_ packets: [[UInt8]]) {
        let loop = executor.loop
        guard descriptor != nil else { return }
        for packet in packets { pending += packet }
        guard pending.count - writtenCount <= Self.pendingBytesLimit else {
            return end(.outputOverflow(limit: Self.pendingBytesLimit))
        }
        // While the socket is full, `poll` says when to go on.
        guard !isTurnEndAwaited, !isWritableAwaited else { return }
        isTurnEndAwaited = true
        loop.callAtTurnEnd(self)
    }

    /// Writes what it can, then closes.
    func close() {
        precondition(executor.isCurrent, "closed off the adapter's thread")
        guard let descriptor else { return }
        _ = try? write(to: descriptor)
        end(nil)
    }

    private func end(_ error: TransportError?) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        self.descriptor = nil
        pending = []
        // Not from here: the caller may be the host, in the middle of sending.
        let ended = self.ended
        executor.perform { ended(error) }
    }
}

// MARK: - Reading

extension SocketStream: DescriptorHandler {
    func descriptorReady(readable: Bool, writable: Bool) {
        if writable, isWritableAwaited { flush() }
        if readable { readOnce() }
    }

    func loopEnded() {
        close()
    }

    /// Reads, and hands up what came; false if there was nothing or the stream has ended.
    @discardableResult
    private func readOnce() -> Bool {
        guard let descriptor else { return false }
        do throws(SystemError) {
            let bytes = try executor.loop.read(descriptor)
            guard !bytes.isEmpty else {
                end(.closedByPeer(name))
                return false
            }
            receive(.received(bytes[...]))
            return true
        } catch {
            if !error.isTemporary { end(error.transportError("read from", name: name)) }
            return false
        }
    }
}

// MARK: - Writing

extension SocketStream: TurnEndHandler {
    func turnEnded() {
        isTurnEndAwaited = false
        flush()
    }

    private func flush() {
        guard let descriptor else { return }
        do throws(SystemError) {
            awaitWritable(try !write(to: descriptor), on: descriptor)
        } catch {
            // What the other side said before it left is still in the socket.
            var readsLeft = Self.lastReadsLimit
            while readsLeft > 0, readOnce() { readsLeft -= 1 }
            end(error.transportError("write to", name: name))
        }
    }

    /// Writes as much as the socket takes, and returns whether that was all.
    private func write(to descriptor: Descriptor) throws(SystemError) -> Bool {
        let start = writtenCount
        let count = pending.withUnsafeBytes { bytes in
            descriptor.sendWithoutSignal(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        if count < 0 {
            guard SystemError.last.isTemporary else { throw .last }
            return false
        }
        writtenCount += count
        guard writtenCount == pending.count else { return false }
        writtenCount = 0
        pending.removeAll(keepingCapacity: true)
        return true
    }

    private func awaitWritable(_ isAwaited: Bool, on descriptor: Descriptor) {
        // Now and then, so that what is written already does not count for ever.
        if isAwaited, writtenCount > Self.pendingBytesLimit {
            pending.removeFirst(writtenCount)
            writtenCount = 0
        }
        guard isAwaited != isWritableAwaited else { return }
        isWritableAwaited = isAwaited
        executor.loop.watch(descriptor, readable: true, writable: isAwaited, self)
    }
}

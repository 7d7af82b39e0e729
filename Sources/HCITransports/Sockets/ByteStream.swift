// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A connected socket, or a terminal: one read when it wakes the thread, one write at the end of a
/// turn.
///
/// Unchecked: what varies is touched on the executor's thread only. Every way in asks for
/// `executor.loop` first, which traps on any other thread.
final class ByteStream: @unchecked Sendable {
    /// What the bytes flow through.
    enum Medium {
        case socket
        /// The line of a terminal: it ends when its device is unplugged.
        case terminal
    }

    /// How many bytes may wait for the other side to read.
    static let pendingBytesLimit = 1 << 20

    /// How many reads a stream that can no longer be written may do before it closes, to hand up
    /// what the other side said before it left.
    static let lastReadsLimit = 64

    private let executor: AdapterExecutor
    private let medium: Medium
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
        _ medium: Medium = .socket,
        name: String,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void,
        ended: @escaping @Sendable (TransportError?) -> Void
    ) {
        self.descriptor = descriptor
        self.medium = medium
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
        // While there is no room, `poll` says when to go on.
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

extension ByteStream: DescriptorHandler {
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
                end(medium.ending(of: name))
                return false
            }
            receive(.received(bytes[...]))
            return true
        } catch {
            if !error.isTemporary { end(medium.error(error, "read from", name: name)) }
            return false
        }
    }
}

// MARK: - Writing

extension ByteStream: TurnEndHandler {
    func turnEnded() {
        isTurnEndAwaited = false
        flush()
    }

    private func flush() {
        guard let descriptor else { return }
        do throws(SystemError) {
            awaitWritable(try !write(to: descriptor), on: descriptor)
        } catch {
            // What the other side said before it left is still there.
            var readsLeft = Self.lastReadsLimit
            while readsLeft > 0, readOnce() { readsLeft -= 1 }
            end(medium.error(error, "write to", name: name))
        }
    }

    /// Writes as much as there is room for, and returns whether that was all.
    private func write(to descriptor: Descriptor) throws(SystemError) -> Bool {
        let start = writtenCount
        let count = pending.withUnsafeBytes { bytes in
            medium.write(UnsafeRawBufferPointer(rebasing: bytes[start...]), to: descriptor)
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

// MARK: - Media

extension ByteStream.Medium {
    /// Writes what there is room for; the count, or -1 and `errno`.
    fileprivate func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Descriptor) -> Int {
        switch self {
        case .socket: descriptor.sendWithoutSignal(bytes)
        case .terminal: systemWrite(descriptor, bytes)
        }
    }

    /// What the end of the bytes means.
    fileprivate func ending(of name: String) -> TransportError {
        switch self {
        case .socket: .closedByPeer(name)
        case .terminal: .adapterRemoved(name)
        }
    }

    fileprivate func error(
        _ error: SystemError,
        _ operation: String,
        name: String
    ) -> TransportError {
        // So a terminal says that its device has gone.
        if self == .terminal, [EIO, ENXIO, ENODEV].contains(error.code) {
            return .adapterRemoved(name)
        }
        return error.transportError(operation, name: name)
    }
}

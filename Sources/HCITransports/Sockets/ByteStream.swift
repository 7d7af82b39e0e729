// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A stream of bytes over a connected socket or a terminal. Packets that are sent in one turn of
/// the event loop are written together at the end of the turn.
///
/// The conformance is unchecked: only the executor's thread accesses the mutable properties. Every
/// entry point uses `executor.loop`, or checks the thread itself, which traps on any other thread.
final class ByteStream: @unchecked Sendable {
    enum Medium {
        case socket
        /// A terminal, which ends when its device is unplugged.
        case terminal
    }

    /// The maximum number of bytes that wait for the peer to read.
    static let pendingBytesLimit = 1 << 20

    /// The maximum number of reads after a write has failed and before the stream ends. They
    /// deliver the bytes that the peer sent before it closed the connection.
    static let lastReadsLimit = 64

    private let executor: AdapterExecutor
    private let medium: Medium
    private let name: String
    private let receive: @Sendable (TransportEvent) -> Void
    private let ended: @Sendable (TransportError?) -> Void

    /// The descriptor, or `nil` once the stream is closed.
    private var descriptor: Descriptor?
    // Accesses to each of the two arrays never overlap, because an access runs no other code than a
    // system call.
    /// The bytes of the last read, whose storage is used for the next one.
    @exclusivity(unchecked)
    private var received: [UInt8] = []
    @exclusivity(unchecked)
    private var pending: [UInt8] = []
    /// The number of bytes of `pending` that are already written.
    private var writtenCount = 0
    private var isTurnEndAwaited = false
    private var isWritableAwaited = false

    /// Creates a stream, which reads once it is started. `ended` is called exactly once, and last.
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

    /// Starts to deliver received bytes.
    func start() {
        guard let descriptor else { return }
        executor.loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Enqueues packets, which are written together at the end of the turn.
    func send(_ packets: [[UInt8]]) {
        let loop = executor.loop
        guard descriptor != nil else { return }
        for packet in packets { pending += packet }
        guard pending.count - writtenCount <= Self.pendingBytesLimit else {
            return end(.outputOverflow(limit: Self.pendingBytesLimit))
        }
        // While the descriptor is not writable, `poll` reports when to continue.
        guard !isTurnEndAwaited, !isWritableAwaited else { return }
        isTurnEndAwaited = true
        loop.callAtTurnEnd(self)
    }

    /// Writes as many bytes as fit, and closes the stream.
    func close() {
        precondition(executor.isCurrent, "closed outside of the adapter's thread")
        guard let descriptor else { return }
        _ = try? write(to: descriptor)
        end(nil)
    }

    private func end(_ error: TransportError?) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        self.descriptor = nil
        pending = []
        // `ended` is not called directly, because the caller may be the host, in the middle of
        // sending.
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

    /// Reads and delivers bytes. Returns `false` if there were none or the stream has ended.
    @discardableResult
    private func readOnce() -> Bool {
        guard let descriptor else { return false }
        do throws(SystemError) {
            try executor.loop.read(descriptor, into: &received)
            guard !received.isEmpty else {
                end(medium.ending(of: name))
                return false
            }
            receive(.received(received[...]))
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
            // The bytes that the peer sent before it closed can still be read.
            var readsLeft = Self.lastReadsLimit
            while readsLeft > 0, readOnce() { readsLeft -= 1 }
            end(medium.error(error, "write to", name: name))
        }
    }

    /// Writes as many pending bytes as the descriptor accepts, and returns whether it accepted all
    /// of them.
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
        // Written bytes stay in `pending` until all bytes are written. This removal bounds their
        // number.
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
    /// Writes as many bytes as fit. Returns the count, or -1 with the error in `errno`.
    fileprivate func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Descriptor) -> Int {
        switch self {
        case .socket: descriptor.sendWithoutSignal(bytes)
        case .terminal: systemWrite(descriptor, bytes)
        }
    }

    /// Returns the error to report when the stream reaches its end.
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
        // These errors mean that the device of the terminal was removed.
        if self == .terminal, [EIO, ENXIO, ENODEV].contains(error.code) {
            return .adapterRemoved(name)
        }
        return error.transportError(operation, name: name)
    }
}

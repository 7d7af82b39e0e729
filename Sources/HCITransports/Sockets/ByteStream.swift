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
/// The conformance is unchecked for the reason that `EventLoopStream` states.
final class ByteStream: EventLoopStream, @unchecked Sendable {
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

    private let medium: Medium
    private let receive: @Sendable (TransportEvent) -> Void
    private let ended: @Sendable (TransportError?) -> Void

    // Accesses to each of the two arrays never overlap, because an access runs no other code than a
    // system call.
    /// The bytes of the last read, whose storage is used for the next one.
    @exclusivity(unchecked)
    private var received: [UInt8] = []
    @exclusivity(unchecked)
    private var pending: [UInt8] = []
    /// The number of bytes of `pending` that are already written.
    private var writtenCount = 0

    /// Creates a stream, which reads once it is started. `ended` is called exactly once, and last.
    init(
        _ descriptor: Descriptor,
        _ medium: Medium = .socket,
        name: String,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void,
        ended: @escaping @Sendable (TransportError?) -> Void
    ) {
        self.medium = medium
        self.receive = receive
        self.ended = ended
        super.init(descriptor, name: name, executor: executor)
    }

    /// Enqueues packets, which are written together at the end of the turn.
    func send(_ packets: [[UInt8]]) {
        precondition(executor.isCurrent, "used outside of the adapter's thread")
        guard descriptor != nil else { return }
        for packet in packets { pending += packet }
        writeAtTurnEnd(
            pendingByteCount: pending.count - writtenCount,
            limit: Self.pendingBytesLimit
        )
    }

    override func read(_ descriptor: Descriptor) throws(SystemError) -> Bool {
        try executor.loop.read(descriptor, into: &received)
        guard !received.isEmpty else {
            end(medium == .socket ? .closedByPeer(name) : .adapterRemoved(name))
            return false
        }
        receive(.received(received[...]))
        return true
    }

    override func write(to descriptor: Descriptor) throws(SystemError) -> Bool {
        let count = pending.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[writtenCount...])
            return switch medium {
            case .socket: descriptor.sendWithoutSignal(bytes)
            case .terminal: systemWrite(descriptor, bytes)
            }
        }
        guard count >= 0 || SystemError.last.isTemporary else { throw .last }
        writtenCount += max(count, 0)
        // Written bytes stay in `pending` until all bytes are written. This removal bounds their
        // number.
        guard count < 0 || writtenCount < pending.count else {
            pending.removeAll(keepingCapacity: true)
            writtenCount = 0
            return true
        }
        if writtenCount > Self.pendingBytesLimit {
            pending.removeFirst(writtenCount)
            writtenCount = 0
        }
        return false
    }

    /// Reads the bytes that the peer sent before it closed.
    override func writeFailed() {
        var readsLeft = Self.lastReadsLimit
        while readsLeft > 0, readOnce() { readsLeft -= 1 }
    }

    override func transportError(_ operation: String, _ error: SystemError) -> TransportError {
        // These errors mean that the device of the terminal was removed.
        if medium == .terminal, [EIO, ENXIO, ENODEV].contains(error.code) {
            return .adapterRemoved(name)
        }
        return super.transportError(operation, error)
    }

    override func streamEnded(_ error: TransportError?) {
        pending = []
        ended(error)
    }
}

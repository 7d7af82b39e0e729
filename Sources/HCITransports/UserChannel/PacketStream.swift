// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The packets of an adapter that this process uses exclusively. The kernel transfers exactly one
/// packet in each read and write, so packets are neither combined nor fragmented.
///
/// The conformance is unchecked for the reason that `EventLoopStream` states.
final class PacketStream: EventLoopStream, @unchecked Sendable {
    /// The maximum number of bytes that wait to be written to the adapter.
    static let pendingBytesLimit = 1 << 20

    /// The maximum number of packets that are read in one turn of the event loop, so that other
    /// events of the thread are not delayed.
    static let packetsPerTurnLimit = 64

    private let receive: @Sendable (TransportEvent) -> Void
    private let ended: @Sendable (TransportError?) -> Void

    private let lease: AdapterLease
    /// The packets to write, starting at index `writtenCount`.
    private var pending: [[UInt8]] = []
    private var writtenCount = 0
    private var pendingByteCount = 0

    /// Creates a stream, which reads once it is started. `ended` is called exactly once and last,
    /// after the adapter was returned.
    init(
        _ lease: AdapterLease,
        name: String,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (TransportEvent) -> Void,
        ended: @escaping @Sendable (TransportError?) -> Void
    ) {
        self.lease = lease
        self.receive = receive
        self.ended = ended
        super.init(lease.descriptor, name: name, executor: executor)
    }

    deinit {
        // No other object may hold the descriptor when the lease returns the adapter.
        descriptor = nil
    }

    /// Enqueues packets, which are written one by one at the end of the turn.
    func send(_ packets: [[UInt8]]) {
        precondition(executor.isCurrent, "used outside of the adapter's thread")
        guard descriptor != nil else { return }
        for packet in packets where !packet.isEmpty {
            pending.append(packet)
            pendingByteCount += packet.count
        }
        writeAtTurnEnd(pendingByteCount: pendingByteCount, limit: Self.pendingBytesLimit)
    }

    override var readsPerTurnLimit: Int { Self.packetsPerTurnLimit }

    /// Reads one packet.
    override func read(_ descriptor: Descriptor) throws(SystemError) -> Bool {
        let packet = try executor.loop.read(descriptor)
        guard !packet.isEmpty else {
            end(.adapterRemoved(name))
            return false
        }
        receive(.received(packet[...]))
        return true
    }

    override func write(to descriptor: Descriptor) throws(SystemError) -> Bool {
        while writtenCount < pending.count {
            let packet = pending[writtenCount]
            guard packet.withUnsafeBytes({ descriptor.sendWithoutSignal($0) }) >= 0 else {
                guard SystemError.last.isTemporary else { throw .last }
                removeWritten()
                return false
            }
            writtenCount += 1
            pendingByteCount -= packet.count
        }
        writtenCount = 0
        pending.removeAll(keepingCapacity: true)
        return true
    }

    /// Removes the written packets only once they are more than half of the array, because a
    /// removal moves the remaining elements.
    private func removeWritten() {
        guard writtenCount > pending.count / 2 else { return }
        pending.removeFirst(writtenCount)
        writtenCount = 0
    }

    override func transportError(_ operation: String, _ error: SystemError) -> TransportError {
        error.isRemoval ? .adapterRemoved(name) : super.transportError(operation, error)
    }

    override func streamEnded(_ error: TransportError?) {
        pending = []
        lease.giveBack(isGone: error == .adapterRemoved(name))
        ended(error)
    }
}

extension SystemError {
    /// Whether the adapter of a descriptor was removed. Linux returns EPIPE once the driver has
    /// released the adapter, and afterward the error for a socket that is not bound.
    ///
    /// ENETDOWN is excluded. It means that the adapter exists but is turned off. When the adapter
    /// is available again, the kernel announces it like one that was plugged in.
    var isRemoval: Bool {
        [EPIPE, Self.badState].contains(code)
    }

    /// EBADFD of Linux.
    private static let badState: Int32 = 77
}

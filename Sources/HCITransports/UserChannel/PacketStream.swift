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
/// The conformance is unchecked: only the executor's thread accesses the mutable properties. Every
/// entry point uses `executor.loop`, or checks the thread itself, which traps on any other thread.
final class PacketStream: @unchecked Sendable {
    /// The maximum number of bytes that wait to be written to the adapter.
    static let pendingBytesLimit = 1 << 20

    /// The maximum number of packets that are read in one turn of the event loop, so that other
    /// events of the thread are not delayed.
    static let packetsPerTurnLimit = 64

    private let executor: AdapterExecutor
    private let name: String
    private let receive: @Sendable (TransportEvent) -> Void
    private let ended: @Sendable (TransportError?) -> Void

    private let lease: AdapterLease
    private var isOpen = true
    /// The packets to write, starting at index `writtenCount`.
    private var pending: [[UInt8]] = []
    private var writtenCount = 0
    private var pendingByteCount = 0
    private var isTurnEndAwaited = false
    private var isWritableAwaited = false

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
        self.name = name
        self.executor = executor
        self.receive = receive
        self.ended = ended
    }

    private var descriptor: Descriptor? { isOpen ? lease.descriptor : nil }

    /// Starts to deliver received packets.
    func start() {
        let loop = executor.loop
        guard let descriptor else { return }
        loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Enqueues packets, which are written one by one at the end of the turn.
    func send(_ packets: [[UInt8]]) {
        let loop = executor.loop
        guard isOpen else { return }
        for packet in packets where !packet.isEmpty {
            pending.append(packet)
            pendingByteCount += packet.count
        }
        guard pendingByteCount <= Self.pendingBytesLimit else {
            return end(.outputOverflow(limit: Self.pendingBytesLimit))
        }
        // While the adapter is busy, `poll` reports when to continue.
        guard !isTurnEndAwaited, !isWritableAwaited else { return }
        isTurnEndAwaited = true
        loop.callAtTurnEnd(self)
    }

    /// Writes as much as possible, and closes the stream.
    func close() {
        precondition(executor.isCurrent, "closed outside of the adapter's thread")
        guard isOpen else { return }
        _ = try? write()
        end(nil)
    }

    private func end(_ error: TransportError?) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        isOpen = false
        pending = []
        // The adapter is not returned directly, because the caller may be the host, in the middle
        // of sending. When the closure runs, only the lease holds the descriptor.
        let (ended, lease, name) = (self.ended, self.lease, self.name)
        executor.perform {
            lease.giveBack(isGone: error == .adapterRemoved(name))
            ended(error)
        }
    }

    private func fail(_ operation: String, _ error: SystemError) {
        end(
            error.isRemoval
                ? .adapterRemoved(name) : error.transportError(operation, name: name)
        )
    }
}

// MARK: - Reading

extension PacketStream: DescriptorHandler {
    func descriptorReady(readable: Bool, writable: Bool) {
        if writable, isWritableAwaited { flush() }
        if readable { read() }
    }

    func loopEnded() {
        close()
    }

    /// Reads the available packets one by one. The receiver of a packet may close the stream.
    private func read() {
        var packetsLeft = Self.packetsPerTurnLimit
        while packetsLeft > 0, readOnce() { packetsLeft -= 1 }
    }

    private func readOnce() -> Bool {
        guard let descriptor else { return false }
        do throws(SystemError) {
            let packet = try executor.loop.read(descriptor)
            guard !packet.isEmpty else {
                end(.adapterRemoved(name))
                return false
            }
            receive(.received(packet[...]))
            return true
        } catch {
            if !error.isTemporary { fail("read from", error) }
            return false
        }
    }
}

// MARK: - Writing

extension PacketStream: TurnEndHandler {
    func turnEnded() {
        isTurnEndAwaited = false
        flush()
    }

    private func flush() {
        do throws(SystemError) {
            awaitWritable(try !write())
        } catch {
            fail("write to", error)
        }
    }

    /// Writes packets until the adapter accepts no more, and returns whether all packets were
    /// written.
    private func write() throws(SystemError) -> Bool {
        guard let descriptor else { return true }
        while writtenCount < pending.count {
            let packet = pending[writtenCount]
            guard packet.withUnsafeBytes({ descriptor.sendWithoutSignal($0) }) >= 0 else {
                guard SystemError.last.isTemporary else { throw .last }
                return false
            }
            writtenCount += 1
            pendingByteCount -= packet.count
        }
        writtenCount = 0
        pending.removeAll(keepingCapacity: true)
        return true
    }

    private func awaitWritable(_ isAwaited: Bool) {
        guard let descriptor else { return }
        // Written packets are removed only once they are more than half of the array, because a
        // removal moves the remaining elements.
        if isAwaited, writtenCount > pending.count / 2 {
            pending.removeFirst(writtenCount)
            writtenCount = 0
        }
        guard isAwaited != isWritableAwaited else { return }
        isWritableAwaited = isAwaited
        executor.loop.watch(descriptor, readable: true, writable: isAwaited, self)
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

// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An adapter that is ours, packet by packet: the kernel hands over one with each read, and takes one with
/// each write. Nothing is joined or cut.
///
/// Unchecked: what varies is touched on the executor's thread only. Every way in asks for
/// `executor.loop` first, which traps on any other thread.
final class PacketStream: @unchecked Sendable {
    /// How many octets may wait for the adapter to take them.
    static let pendingBytesLimit = 1 << 20

    /// How many packets are read before others of the thread get their turn.
    static let packetsPerTurnLimit = 64

    private let executor: AdapterExecutor
    private let name: String
    private let receive: @Sendable (TransportEvent) -> Void
    private let ended: @Sendable (TransportError?) -> Void

    private let lease: AdapterLease
    private var isOpen = true
    /// What is to be written, from `writtenCount` on.
    private var pending: [[UInt8]] = []
    private var writtenCount = 0
    private var pendingByteCount = 0
    private var isTurnEndAwaited = false
    private var isWritableAwaited = false

    /// Makes a stream that reads once it is started. `ended` is called last, and once, when the adapter
    /// has been given back.
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

    /// Begins to hand up what arrives.
    func start() {
        let loop = executor.loop
        guard let descriptor else { return }
        loop.watch(descriptor, readable: true, writable: false, self)
    }

    /// Gathers packets, to be written one by one when the turn ends.
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
        // While the adapter is busy, `poll` says when to go on.
        guard !isTurnEndAwaited, !isWritableAwaited else { return }
        isTurnEndAwaited = true
        loop.callAtTurnEnd(self)
    }

    /// Writes what it can, then closes.
    func close() {
        precondition(executor.isCurrent, "closed off the adapter's thread")
        guard isOpen else { return }
        _ = try? write()
        end(nil)
    }

    private func end(_ error: TransportError?) {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        isOpen = false
        pending = []
        // Not from here: the caller may be the host, in the middle of sending. And nobody but the lease
        // holds the descriptor by then.
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

    /// Reads what there is, a packet at a time. Whoever receives one may close the stream.
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

    /// Writes packets until the adapter takes no more, and returns whether those were all.
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
        // Not at every packet: moving the rest costs, too.
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
    /// Whether the adapter behind a descriptor is gone: Linux says EPIPE once the driver let go of it,
    /// and after that, that the socket is bound to nothing.
    ///
    /// Not so ENETDOWN, of one that is there, but switched off: giving it back is announced like an
    /// adapter that was plugged in.
    var isRemoval: Bool {
        [EPIPE, Self.badState].contains(code)
    }

    /// EBADFD of Linux.
    private static let badState: Int32 = 77
}

// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket that keeps the boundaries of packets (SOCK_SEQPACKET), for example one that another
/// process passed.
///
/// The conformance is unchecked: only the executor's thread accesses the mutable properties. Every
/// entry point uses `executor.loop`, or checks the thread itself, which traps on any other thread.
package final class PacketSocket: @unchecked Sendable {
    /// The maximum number of packets that wait until the socket accepts them.
    package static let pendingPacketLimit = 1_024
    /// The maximum number of packets that are read in one turn of the event loop, so that other
    /// events of the thread are not delayed.
    static let packetsPerTurnLimit = 64

    private struct Packet {
        let bytes: [UInt8]
        let sent: @Sendable (Bool) -> Void
    }

    private let executor: AdapterExecutor
    private let receive: @Sendable (ArraySlice<UInt8>) -> Void
    private let ended: @Sendable () -> Void
    private var descriptor: Descriptor?
    private var pending: [Packet] = []
    private var isWritableAwaited = false
    private var isReading = true

    /// Takes the socket, and delivers its packets from now on. `ended` is called once, unless this
    /// side closes the socket or the executor's thread ends.
    package init(
        _ passed: PassedDescriptor,
        executor: AdapterExecutor,
        receive: @escaping @Sendable (ArraySlice<UInt8>) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        descriptor = passed.descriptor
        self.executor = executor
        self.receive = receive
        self.ended = ended
        passed.descriptor.makeNonBlocking()
        executor.loop.watch(passed.descriptor, readable: true, writable: false, self)
    }

    /// Creates two connected sockets, one of which is passed to another process; `nil` if the
    /// process has too many open files.
    package static func pair() -> (PassedDescriptor, PassedDescriptor)? {
        let ends = try? Descriptor.makeSocketPair(kind: SocketKind.packets)
        return ends.map { (PassedDescriptor($0), PassedDescriptor($1)) }
    }

    /// Sends a packet. `sent` gets `true` when the socket has accepted it, and `false` if the
    /// socket has ended or too many packets wait.
    package func send(_ bytes: [UInt8], then sent: @escaping @Sendable (Bool) -> Void) {
        precondition(executor.isCurrent, "used outside of the executor's thread")
        guard descriptor != nil, pending.count < Self.pendingPacketLimit else {
            return executor.perform { sent(false) }
        }
        pending.append(Packet(bytes: bytes, sent: sent))
        if !isWritableAwaited { flush() }
    }

    /// Sets whether packets are read. While they are not, the sender must wait once the socket is
    /// full.
    package func setReading(_ isReading: Bool) {
        precondition(executor.isCurrent, "used outside of the executor's thread")
        guard let descriptor, self.isReading != isReading else { return }
        self.isReading = isReading
        watch(descriptor)
    }

    private func watch(_ descriptor: Descriptor) {
        // The system reports the end of a socket even if neither reading nor writing is watched.
        guard isReading || isWritableAwaited else { return executor.loop.unwatch(descriptor) }
        executor.loop.watch(
            descriptor,
            readable: isReading,
            writable: isWritableAwaited,
            self
        )
    }

    /// Closes the socket. Packets that wait are not sent.
    package func close() {
        precondition(executor.isCurrent, "closed outside of the executor's thread")
        end()
    }

    private func end() {
        guard let descriptor else { return }
        executor.loop.unwatch(descriptor)
        self.descriptor = nil
        let packets = pending
        pending = []
        executor.perform { for packet in packets { packet.sent(false) } }
    }

    private func flush() {
        guard let descriptor else { return }
        var written = 0
        while written < pending.count {
            let packet = pending[written]
            guard packet.bytes.withUnsafeBytes({ descriptor.sendWithoutSignal($0) }) >= 0 else {
                guard SystemError.last.isTemporary else {
                    // The packets before this one were sent, which is already reported.
                    pending.removeFirst(written)
                    return failed()
                }
                break
            }
            written += 1
            executor.perform { packet.sent(true) }
        }
        pending.removeFirst(written)
        guard pending.isEmpty == isWritableAwaited else { return }
        isWritableAwaited = !pending.isEmpty
        watch(descriptor)
    }

    private func failed() {
        guard descriptor != nil else { return }
        end()
        executor.perform { [ended] in ended() }
    }
}

extension PacketSocket: DescriptorHandler {
    func descriptorReady(readable: Bool, writable: Bool) {
        if writable, isWritableAwaited { flush() }
        guard readable else { return }
        var packetsLeft = Self.packetsPerTurnLimit
        while packetsLeft > 0, isReading, readOnce() { packetsLeft -= 1 }
    }

    func loopEnded() { end() }

    private func readOnce() -> Bool {
        guard let descriptor else { return false }
        do throws(SystemError) {
            let packet = try executor.loop.read(descriptor)
            // An empty result is the end, or a packet without content.
            guard !packet.isEmpty || !descriptor.isHungUp else {
                failed()
                return false
            }
            receive(packet[...])
            return true
        } catch {
            if !error.isTemporary { failed() }
            return false
        }
    }
}

extension Descriptor {
    /// Whether the peer has closed its end.
    fileprivate var isHungUp: Bool {
        var interest = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, 0) > 0 && Int32(interest.revents) & (POLLHUP | POLLERR) != 0
    }
}

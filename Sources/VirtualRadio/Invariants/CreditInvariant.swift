// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The rule that a host sends no more data than the controller has buffers for, and that the
/// controller completes no more packets than it received (Vol 4, Part E, 4.1).
package struct CreditInvariant: Invariant {
    package let rule = "credits are never negative"
    private var packetCount: Int?
    private var outstanding: [ConnectionHandle: Int] = [:]

    package init() {}

    package mutating func observe(
        _ packet: HCI.Packet,
        _ direction: WireDirection,
        now: Instant
    ) -> String? {
        switch (direction, packet, packet.event) {
        case (.toController, .acl(let packet), _): return taken(packet.connectionHandle)
        case (.toHost, _, .numberOfCompletedPackets(let event)):
            return event.completed.compactMap { given($0) }.first
        case (.toHost, _, .disconnectionComplete(let event)):
            outstanding[event.connectionHandle] = nil
        case (.toHost, _, .commandComplete(let event)): answered(event)
        default: break
        }
        return nil
    }

    private mutating func taken(_ handle: ConnectionHandle) -> String? {
        outstanding[handle, default: 0] += 1
        guard let packetCount else { return "data before the host read the buffer size" }
        let sum = outstanding.values.reduce(0, +)
        return sum > packetCount ? "\(sum) packets sent, but only \(packetCount) buffers" : nil
    }

    private mutating func given(_ completed: HCI.CompletedPackets) -> String? {
        let count = outstanding[completed.connectionHandle, default: 0]
        outstanding[completed.connectionHandle] = max(0, count - Int(completed.count))
        guard completed.count > count else { return nil }
        return "\(completed.count) packets completed of \(count) sent on "
            + "\(completed.connectionHandle)"
    }

    private mutating func answered(_ event: HCI.CommandComplete) {
        let parameters = event.returnParameters.dropFirst()
        switch event.opcode {
        case .reset: outstanding = [:]
        case .leReadBufferSize:
            let answer = try? HCI.LEReadBufferSize.ReturnParameters(parsing: parameters)
            learn(answer?.aclPacketCount)
        case .leReadBufferSizeV2:
            let answer = try? HCI.LEReadBufferSizeV2.ReturnParameters(parsing: parameters)
            learn(answer?.aclPacketCount)
        default: break
        }
    }

    private mutating func learn(_ count: UInt8?) {
        guard let count, count > 0 else { return }
        packetCount = Int(count)
    }
}

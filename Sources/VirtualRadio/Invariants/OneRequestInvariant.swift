// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The rule that an ATT bearer has at most one request and one indication outstanding in each
/// direction, and that every answer has a request (Vol 3, Part F, 3.3.2).
///
/// The check covers only the fixed ATT channel, and reads only the first byte of each PDU, which
/// determines its kind.
package struct OneRequestInvariant: Invariant {
    package let rule = "one ATT request at a time on a bearer"
    private var underWay: [Transaction: Int] = [:]

    /// The requests or the indications in one direction on one link.
    private struct Transaction: Hashable {
        let handle: ConnectionHandle
        let isIndication: Bool
        let asked: WireDirection
    }

    private enum Role { case question, answer }

    package init() {}

    package mutating func observe(
        _ packet: HCI.Packet,
        _ direction: WireDirection,
        now: Instant
    ) -> String? {
        if case .acl(let packet) = packet { return observe(packet, direction) }
        switch packet.event {
        case .disconnectionComplete(let event) where direction == .toHost:
            underWay = underWay.filter { $0.key.handle != event.connectionHandle }
        case .commandComplete(let event) where event.opcode == .reset: underWay = [:]
        default: break
        }
        return nil
    }

    private mutating func observe(_ packet: HCI.ACLPacket, _ direction: WireDirection) -> String? {
        guard let opcode = Self.attOpcode(packet), let (role, isIndication) = Self.kind(opcode)
        else { return nil }
        let transaction = Transaction(
            handle: packet.connectionHandle,
            isIndication: isIndication,
            asked: role == .question ? direction : direction.opposite
        )
        let count = underWay[transaction, default: 0] + (role == .question ? 1 : -1)
        underWay[transaction] = min(max(count, 0), 1)
        switch count {
        case 0, 1: return nil
        case 2...:
            return "opcode \(opcode) on \(packet.connectionHandle), before the previous answer"
        default: return "opcode \(opcode) on \(packet.connectionHandle), without a request"
        }
    }

    /// Returns the ATT opcode, if the packet is the beginning of a PDU on the ATT channel.
    private static func attOpcode(_ packet: HCI.ACLPacket) -> UInt8? {
        let payload = packet.payload
        guard packet.boundary != .continuing, payload.count >= 5 else { return nil }
        let start = payload.startIndex
        guard payload[start + 2] == 0x04, payload[start + 3] == 0x00 else { return nil }
        return payload[start + 4]
    }

    /// Returns the kind of a PDU by its opcode (Vol 3, Part F, 3.4.8); `nil` for PDUs without an
    /// answer.
    private static func kind(_ opcode: UInt8) -> (role: Role, isIndication: Bool)? {
        switch opcode {
        case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20:
            (.question, false)
        case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21:
            (.answer, false)
        case 0x1D: (.question, true)
        case 0x1E: (.answer, true)
        default: nil
        }
    }
}

extension WireDirection {
    /// The opposite direction.
    package var opposite: WireDirection { self == .toHost ? .toController : .toHost }
}

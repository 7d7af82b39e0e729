// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// Packets that wait for a host to take them, and which of them are lost if it does not.
///
/// Advertising reports go first, as in real controllers: there will be others. If even that does
/// not help, one Hardware Error takes the last place, and all is lost until the host takes what is
/// there.
package struct HostOutbox: Sendable {
    /// How many packets wait.
    package static let packetLimit = 65_536
    /// How many packets wait if one more is an advertising report.
    package static let reportLimit = packetLimit / 2

    /// The packets in H4 form, in order.
    package private(set) var packets: [[UInt8]] = []

    /// An outbox in which nothing waits.
    package init() {}

    /// Adds a packet, if there is room.
    package mutating func put(_ packet: [UInt8]) {
        insert(packet, at: packets.count)
    }

    /// Adds a packet before those from `place` on, if there is room.
    mutating func insert(_ packet: [UInt8], at place: Int) {
        if packets.count >= Self.reportLimit, Self.isReport(packet) { return }
        guard packets.count < Self.packetLimit - 1 else {
            if packets.count < Self.packetLimit {
                packets.append(HardwareErrorCode.packetsLost.event.packet.h4Bytes)
            }
            return
        }
        packets.insert(packet, at: min(place, packets.count))
    }

    /// Takes out all packets.
    package mutating func takeAll() -> [[UInt8]] {
        defer { packets.removeAll(keepingCapacity: true) }
        return packets
    }

    /// Whether the packet is an LE Advertising Report of any kind.
    private static func isReport(_ packet: [UInt8]) -> Bool {
        guard packet.count > 3, packet[0] == HCI.PacketType.event.rawValue,
            packet[1] == HCI.EventCode.leMeta.rawValue
        else { return false }
        switch HCI.LESubeventCode(rawValue: packet[3]) {
        case .advertisingReport, .directedAdvertisingReport, .extendedAdvertisingReport:
            return true
        default: return false
        }
    }
}

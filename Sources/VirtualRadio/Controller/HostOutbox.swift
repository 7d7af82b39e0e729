// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// The packets that wait until a host takes them.
///
/// If the host does not take its packets, advertising reports are dropped first, as in real
/// controllers, because other reports follow. If the outbox becomes full nevertheless, one Hardware
/// Error takes the last place, and all further packets are lost until the host takes the waiting
/// ones.
package struct HostOutbox: Sendable {
    /// The maximum number of packets that wait.
    package static let packetLimit = 65_536
    /// The number of waiting packets from which advertising reports are dropped.
    package static let reportLimit = packetLimit / 2

    /// The packets in H4 form, in order.
    package private(set) var packets: [[UInt8]] = []

    /// Creates an empty outbox.
    package init() {}

    /// Appends a packet, if there is room.
    package mutating func put(_ packet: [UInt8]) {
        insert(packet, at: packets.count)
    }

    /// Inserts a packet at `place`, if there is room.
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

    /// Returns and removes all packets.
    package mutating func takeAll() -> [[UInt8]] {
        defer { packets.removeAll(keepingCapacity: true) }
        return packets
    }

    /// Returns whether the packet is an LE advertising report of any kind.
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

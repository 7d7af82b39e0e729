// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// The host's buffers, as the controller counts them (Vol 4, Part E, 4.1.2): data is held back
/// while the host has no room for it.
package struct HostFlow: Sendable {
    /// How many packets are held back; what comes beyond is lost. A link that asks `hasRoom` first
    /// lets its peer wait instead.
    package static let heldLimit = 256

    /// Set Controller To Host Flow Control: whether buffers are counted.
    package var isOn = false
    /// Host Buffer Size: how much data a packet may have, and how many packets there may be; nil
    /// before the host has told.
    private var buffers: (packetLength: Int, packetCount: Int)?
    /// How many packets the host has not given back, of each link and of all.
    private var outstanding: [ConnectionHandle: Int] = [:]
    private var outstandingTotal = 0
    private var held: [HCI.ACLPacket] = []

    /// Whether another packet could be held back.
    package var hasRoom: Bool { held.count < Self.heldLimit }

    /// Host Buffer Size has told.
    mutating func setBuffers(packetLength: UInt16, packetCount: UInt16) {
        buffers = (Int(packetLength), Int(packetCount))
    }

    /// Data for the host: adds to `output` what may go now. False if some of it is lost.
    mutating func pass(_ packet: HCI.ACLPacket, _ output: (HCI.ACLPacket) -> Void) -> Bool {
        var isWhole = true
        for piece in pieces(of: packet) {
            if mayGo {
                count(piece)
                output(piece)
            } else if hasRoom {
                held.append(piece)
            } else {
                isWhole = false
            }
        }
        return isWhole
    }

    /// The host has room again for so many packets of the link; more than it has had do not count.
    mutating func complete(_ completed: HCI.CompletedPackets) {
        let had = outstanding[completed.connectionHandle] ?? 0
        let freed = min(had, Int(completed.count))
        outstanding[completed.connectionHandle] = had > freed ? had - freed : nil
        outstandingTotal -= freed
    }

    /// The link has ended: its data needs no room any more (Vol 4, Part E, 4.2).
    mutating func disconnected(_ handle: ConnectionHandle) {
        outstandingTotal -= outstanding.removeValue(forKey: handle) ?? 0
        held.removeAll { $0.connectionHandle == handle }
    }

    /// Takes out what was held back and may go now.
    mutating func release() -> [HCI.ACLPacket] {
        let room = isLimited ? max(0, roomTotal - outstandingTotal) : held.count
        let released = Array(held.prefix(room))
        held.removeFirst(released.count)
        for packet in released { count(packet) }
        return released
    }

    private var isLimited: Bool { isOn && buffers != nil }
    private var roomTotal: Int { buffers?.packetCount ?? 0 }
    private var mayGo: Bool { !isLimited || (held.isEmpty && outstandingTotal < roomTotal) }

    private mutating func count(_ packet: HCI.ACLPacket) {
        guard isLimited else { return }
        outstanding[packet.connectionHandle, default: 0] += 1
        outstandingTotal += 1
    }

    /// The packet, cut to what the host takes in one (Vol 4, Part E, 7.3.39).
    private func pieces(of packet: HCI.ACLPacket) -> [HCI.ACLPacket] {
        guard let length = buffers?.packetLength, packet.payload.count > length else {
            return [packet]
        }
        var pieces: [HCI.ACLPacket] = []
        var rest = packet.payload
        while !rest.isEmpty {
            var piece = packet
            piece.payload = rest.prefix(length)
            if !pieces.isEmpty { piece.boundary = .continuing }
            pieces.append(piece)
            rest = rest.dropFirst(length)
        }
        return pieces
    }
}

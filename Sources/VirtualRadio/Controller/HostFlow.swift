// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI

/// Flow control from the controller to the host (Vol 4, Part E, 4.2): the controller counts the
/// host's free buffers, and holds data back while there is none.
package struct HostFlow: Sendable {
    /// The maximum number of packets that are held back. Further packets are lost. A link avoids
    /// the loss: it checks `hasRoom` first, and makes its peer wait.
    package static let heldLimit = 256

    /// Whether the controller counts the host's buffers, from Set Controller To Host Flow Control.
    package var isOn = false
    /// The host's buffers, from Host Buffer Size: the largest data of a packet in bytes, and the
    /// number of packets; `nil` before that command.
    private var buffers: (packetLength: Int, packetCount: Int)?
    /// For each link, the number of packets that the host has not yet completed.
    private var outstanding: [ConnectionHandle: Int] = [:]
    private var outstandingTotal = 0
    private var held: [HCI.ACLPacket] = []

    /// Whether another packet can be held back.
    package var hasRoom: Bool { held.count < Self.heldLimit }

    /// Sets the host's buffers, from Host Buffer Size.
    mutating func setBuffers(packetLength: UInt16, packetCount: UInt16) {
        buffers = (Int(packetLength), Int(packetCount))
    }

    /// Passes a packet to the host: calls `output` with each part that the host has a buffer for,
    /// and holds back the rest.
    ///
    /// - Returns: `false` if a part of the packet is lost.
    mutating func pass(_ packet: HCI.ACLPacket, _ output: (HCI.ACLPacket) -> Void) -> Bool {
        var isWhole = true
        for piece in pieces(of: packet) {
            if canPass {
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

    /// Frees the buffers that the host has completed for the link. A count above the number of
    /// outstanding packets is limited to that number.
    mutating func complete(_ completed: HCI.CompletedPackets) {
        let had = outstanding[completed.connectionHandle] ?? 0
        let freed = min(had, Int(completed.count))
        outstanding[completed.connectionHandle] = had > freed ? had - freed : nil
        outstandingTotal -= freed
    }

    /// Frees the buffers of a link that has ended (Vol 4, Part E, 4.3), and removes its packets
    /// that were held back.
    mutating func disconnected(_ handle: ConnectionHandle) {
        outstandingTotal -= outstanding.removeValue(forKey: handle) ?? 0
        held.removeAll { $0.connectionHandle == handle }
    }

    /// Returns and removes the packets that were held back and now have a buffer.
    mutating func release() -> [HCI.ACLPacket] {
        let releasable = isLimited ? max(0, bufferCount - outstandingTotal) : held.count
        let released = Array(held.prefix(releasable))
        held.removeFirst(released.count)
        for packet in released { count(packet) }
        return released
    }

    private var isLimited: Bool { isOn && buffers != nil }
    private var bufferCount: Int { buffers?.packetCount ?? 0 }
    private var canPass: Bool { !isLimited || (held.isEmpty && outstandingTotal < bufferCount) }

    private mutating func count(_ packet: HCI.ACLPacket) {
        guard isLimited else { return }
        outstanding[packet.connectionHandle, default: 0] += 1
        outstandingTotal += 1
    }

    /// Returns the packet, divided into parts that fit into the host's buffers (Vol 4, Part E,
    /// 7.3.39).
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

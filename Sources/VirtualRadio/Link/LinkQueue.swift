// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The ACL packets of a host that wait to be sent on a link, in order.
/// `LinkResources.dataPacketCount` limits their number.
package struct LinkQueue: Sendable {
    private struct Packet: Sendable {
        var rest: ArraySlice<UInt8>
        var isStart: Bool
    }

    private var packets: [Packet] = []
    private var first = 0

    /// Whether no packet waits.
    package private(set) var isEmpty = true

    /// The number of bytes that are left of the first packet.
    var nextLength: Int { isEmpty ? 0 : packets[first].rest.count }

    /// Appends a packet, which must not be empty.
    mutating func append(_ packet: HCI.ACLPacket) {
        precondition(!packet.payload.isEmpty, "the packet is empty")
        packets.append(
            Packet(rest: packet.payload, isStart: packet.boundary != .continuing)
        )
        isEmpty = false
    }

    /// Removes and returns the next fragment, of at most `limit` bytes, of the first packet.
    mutating func next(limit: Int) -> LinkFragment? {
        guard !isEmpty else { return nil }
        let piece = packets[first].rest.prefix(max(1, limit))
        let isStart = packets[first].isStart
        packets[first].rest = packets[first].rest.dropFirst(piece.count)
        packets[first].isStart = false
        let isLast = packets[first].rest.isEmpty
        if isLast { dropFirst() }
        return LinkFragment(payload: piece, isStart: isStart, isLast: isLast)
    }

    private mutating func dropFirst() {
        first += 1
        isEmpty = first == packets.count
        guard first * 2 > packets.count else { return }
        packets.removeFirst(first)
        first = 0
    }
}

// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// A writer of a capture in Wireshark's current format (draft-ietf-opsawg-pcapng), with an
/// interface for each packet log.
struct PcapngWriter: Sendable {
    /// The maximum number of interfaces.
    static let interfaceLimit = 256
    /// The link type of H4 packets with their direction in front.
    static let linkType: UInt16 = 201
    /// The bytes with which a capture begins. They are the same in both byte orders.
    static let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    private var interfaces: [String: UInt32] = [:]

    /// The block with which a capture begins.
    static var header: [UInt8] {
        block(
            0x0A0D_0D0A,
            fields(0x1A2B_3C4D) + fields16(1, 0) + [UInt8](repeating: 0xFF, count: 8)
        )
    }

    /// Returns the blocks for a packet of the log with this name: the packet and, before the first
    /// packet of a log, its interface. A log beyond the limit has no blocks.
    mutating func blocks(for record: Btsnoop.Record, of log: String) -> [UInt8] {
        var bytes: [UInt8] = []
        if interfaces[log] == nil {
            guard interfaces.count < Self.interfaceLimit else { return [] }
            interfaces[log] = UInt32(interfaces.count)
            bytes = Self.interface(named: log)
        }
        return bytes + Self.packet(record, interface: interfaces[log] ?? 0)
    }

    private static func interface(named name: String) -> [UInt8] {
        let name = Array(name.utf8.prefix(255))
        // The name (option 2), and the end of the options.
        let options = fields16(2, UInt16(name.count)) + padded(name) + fields16(0, 0)
        return block(1, fields16(linkType, 0) + fields(0) + options)
    }

    private static func packet(_ record: Btsnoop.Record, interface: UInt32) -> [UInt8] {
        let time = UInt64(bitPattern: max(0, record.microsecondsSince1970))
        let direction: [UInt8] = [0, 0, 0, record.direction == .sent ? 0 : 1]
        let data = direction + record.packet
        let original = UInt32(
            clamping: direction.count + max(record.originalLength, record.packet.count)
        )
        return block(
            6,
            fields(interface, UInt32(time >> 32), UInt32(truncatingIfNeeded: time))
                + fields(UInt32(clamping: data.count), original) + padded(data)
        )
    }

    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        let length = UInt32(clamping: body.count + 12)
        return fields(type, length) + body + fields(length)
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    private static func fields(_ numbers: UInt32...) -> [UInt8] {
        numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }

    private static func fields16(_ numbers: UInt16...) -> [UInt8] {
        numbers.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    }
}

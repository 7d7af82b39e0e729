// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The packet log that Wireshark, Android and most Bluetooth tools read: RFC 1761 with the
/// datalink types of Bluetooth.
///
/// A header of 16 octets, then records: 24 octets of header and the packet. Unlike everything of
/// Bluetooth, all numbers have the most significant octet first.
package enum Btsnoop {
    /// How every file begins.
    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    static let version: UInt32 = 1
    /// HCI packets as on a UART: each begins with its H4 type octet.
    static let h4Datalink: UInt32 = 1002
    static let headerLength = 16
    static let recordHeaderLength = 24

    /// The longest packet a record may hold: the longest of H4, rounded up.
    package static let packetLengthLimit = 1 << 17

    /// What the clock of a record shows at the start of 1970: microseconds since the year 0.
    static let microsecondsAt1970: Int64 = 0x00DC_DDB3_0F2F_8000

    /// Which way a packet went.
    package enum Direction: UInt32, Sendable {
        /// From the host to the controller.
        case sent = 0
        /// From the controller to the host.
        case received = 1
    }

    /// One packet of a log.
    package struct Record: Equatable, Sendable {
        /// When it passed: microseconds since 1970-01-01 00:00 UTC.
        package var microsecondsSince1970: Int64
        package var direction: Direction
        /// The H4 packet, type octet first.
        package var packet: ArraySlice<UInt8>
        /// The length it had on the wire; more than it has here if the log cut it.
        package var originalLength: Int
        /// How many packets were lost to the log before this one.
        package var droppedBefore: UInt32

        package init(
            microsecondsSince1970: Int64,
            direction: Direction,
            packet: ArraySlice<UInt8>
        ) {
            self.microsecondsSince1970 = microsecondsSince1970
            self.direction = direction
            self.packet = packet
            originalLength = packet.count
            droppedBefore = 0
        }
    }

    /// The header of a file.
    package static var header: [UInt8] {
        var bytes = magic
        append(version, to: &bytes)
        append(h4Datalink, to: &bytes)
        return bytes
    }

    /// Appends a record as a file holds it.
    package static func append(_ record: Record, to bytes: inout [UInt8]) {
        append(UInt32(clamping: record.originalLength), to: &bytes)
        append(UInt32(clamping: record.packet.count), to: &bytes)
        append(flags(of: record), to: &bytes)
        append(record.droppedBefore, to: &bytes)
        let time = record.microsecondsSince1970 &+ microsecondsAt1970
        append(UInt32(truncatingIfNeeded: time >> 32), to: &bytes)
        append(UInt32(truncatingIfNeeded: time), to: &bytes)
        bytes += record.packet
    }

    /// Bit 0 is the direction; bit 1 tells commands and events from data.
    private static func flags(of record: Record) -> UInt32 {
        let isCommandOrEvent = record.packet.first == 0x01 || record.packet.first == 0x04
        return record.direction.rawValue | (isCommandOrEvent ? 0b10 : 0)
    }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 24))
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The packet log format of Wireshark, Android and most Bluetooth tools: RFC 1761 with the datalink
/// types of Bluetooth.
///
/// A file consists of a 16-byte header and records, each of which has a 24-byte header and a
/// packet. Unlike in Bluetooth, all numbers are encoded most significant byte first.
package enum Btsnoop {
    /// The first bytes of every file.
    static let magic: [UInt8] = Array("btsnoop\0".utf8)
    static let version: UInt32 = 1
    /// The datalink of HCI packets as on a UART, each of which starts with its H4 type byte.
    static let h4Datalink: UInt32 = 1002
    static let headerLength = 16
    static let recordHeaderLength = 24

    /// The maximum length of a packet in a record: that of H4, rounded up.
    package static let packetLengthLimit = 1 << 17

    /// The timestamp of 1970-01-01, in microseconds since the year 0.
    static let microsecondsAt1970: Int64 = 0x00DC_DDB3_0F2F_8000

    /// The direction of a packet.
    package enum Direction: UInt32, Sendable {
        /// From the host to the controller.
        case sent = 0
        /// From the controller to the host.
        case received = 1
    }

    /// A packet of a log.
    package struct Record: Equatable, Sendable {
        /// The time of the packet, in microseconds since 1970-01-01 00:00 UTC.
        package var microsecondsSince1970: Int64
        package var direction: Direction
        /// The H4 packet, type byte first.
        package var packet: ArraySlice<UInt8>
        /// The original length of the packet, which is greater than that of `packet` if the log
        /// truncates it.
        package var originalLength: Int
        /// The number of packets before this one that the log lost.
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

    /// Appends a record in the format of a file.
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

    /// Returns the flags of a record. Bit 0 is the direction, and bit 1 distinguishes commands and
    /// events from data.
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

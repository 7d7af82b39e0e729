// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The part of an L2CAP frame that an ACL packet contains (Vol 4, Part E, 5.4.2).
    package enum PacketBoundary: UInt8, Sendable {
        /// The first part, from the host to the controller on an LE link. The controller must not
        /// flush it.
        case firstNonFlushable = 0b00
        /// A part after the first.
        case continuing = 0b01
        /// The first part, from the controller to the host.
        case firstFlushable = 0b10
        /// A complete frame, on BR/EDR links only.
        case complete = 0b11
    }

    /// A fragment of an L2CAP frame between the host and the controller (Vol 4, Part E, 5.4.2).
    package struct ACLPacket: Equatable, Sendable {
        /// The length of the header in bytes, without the H4 type byte.
        package static let headerLength = 4
        /// The length of the header in bytes, with the H4 type byte.
        package static let h4HeaderLength = 1 + headerLength

        package var connectionHandle: ConnectionHandle
        package var boundary: PacketBoundary
        /// The broadcast flag, which is 0 on every LE link.
        package var broadcast: UInt8
        package var payload: ArraySlice<UInt8>

        package init(
            connectionHandle: ConnectionHandle,
            boundary: PacketBoundary,
            broadcast: UInt8 = 0,
            payload: ArraySlice<UInt8>
        ) {
            self.connectionHandle = connectionHandle
            self.boundary = boundary
            self.broadcast = broadcast & 0b11
            self.payload = payload
        }

        /// Decodes a packet without its H4 type byte.
        ///
        /// - Throws: ``MalformedBytes`` unless the length field matches the payload.
        package init(parsing bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
            var reader = ByteReader(bytes)
            let field = try reader.readUInt16()
            let length = Int(try reader.readUInt16())
            payload = try reader.readBytes(length)
            try reader.finish()
            connectionHandle = ConnectionHandle(rawValue: field)
            guard let boundary = PacketBoundary(rawValue: UInt8(field >> 12 & 0b11)) else {
                throw .invalid(field: "packet boundary")
            }
            self.boundary = boundary
            broadcast = UInt8(field >> 14)
        }

        /// Appends the H4 type byte and the ACL header of a packet that contains a whole frame of
        /// `count` bytes from the host. The caller then appends the frame.
        ///
        /// The length field has no meaning for a frame longer than 65,535 bytes. Such a frame fits
        /// into no packet, and `ACLTransmitQueue` writes a new header for each of its fragments.
        package static func appendHeader(
            of count: Int,
            on connectionHandle: ConnectionHandle,
            to bytes: inout [UInt8]
        ) {
            let boundary = UInt16(PacketBoundary.firstNonFlushable.rawValue) << 12
            let field = connectionHandle.rawValue | boundary
            bytes.append(PacketType.acl.rawValue)
            bytes.append(UInt8(truncatingIfNeeded: field))
            bytes.append(UInt8(truncatingIfNeeded: field >> 8))
            bytes.append(UInt8(truncatingIfNeeded: count))
            bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        }

        /// Turns a packet with a whole frame, whose header `appendHeader` wrote, into a packet with
        /// the last part of the frame. Other packets contain the first `count` bytes of the frame.
        static func removeReleased(_ count: Int, from packet: inout [UInt8]) {
            packet.removeSubrange(h4HeaderLength..<h4HeaderLength + count)
            let length = packet.count - h4HeaderLength
            packet[2] = packet[2] & 0x0F | PacketBoundary.continuing.rawValue << 4
            packet[3] = UInt8(truncatingIfNeeded: length)
            packet[4] = UInt8(truncatingIfNeeded: length >> 8)
        }

        /// The packet with its H4 type byte. A payload longer than 65,535 bytes is truncated.
        package var h4Bytes: [UInt8] {
            let length = min(payload.count, Int(UInt16.max))
            let field =
                connectionHandle.rawValue | UInt16(boundary.rawValue) << 12 | UInt16(broadcast)
                << 14
            var bytes: [UInt8] = []
            bytes.reserveCapacity(Self.h4HeaderLength + length)
            bytes.append(PacketType.acl.rawValue)
            bytes.append(UInt8(truncatingIfNeeded: field))
            bytes.append(UInt8(truncatingIfNeeded: field >> 8))
            bytes.append(UInt8(truncatingIfNeeded: length))
            bytes.append(UInt8(truncatingIfNeeded: length >> 8))
            bytes.append(contentsOf: payload.prefix(length))
            return bytes
        }
    }
}

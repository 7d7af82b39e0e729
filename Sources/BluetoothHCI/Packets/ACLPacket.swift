// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// What part of an L2CAP frame an ACL packet holds (Vol 4, Part E, 5.4.2).
    package enum PacketBoundary: UInt8, Sendable {
        /// The first, from host to controller on LE; must not be flushed.
        case firstNonFlushable = 0b00
        /// One after the first.
        case continuing = 0b01
        /// The first, from controller to host.
        case firstFlushable = 0b10
        /// All of it, on classic links only.
        case complete = 0b11
    }

    /// A piece of an L2CAP frame on its way through the controller (Vol 4, Part E, 5.4.2).
    package struct ACLPacket: Equatable, Sendable {
        /// The octets of the header, without the H4 type octet.
        package static let headerLength = 4

        package var connectionHandle: ConnectionHandle
        package var boundary: PacketBoundary
        /// The broadcast flag: 0 on every LE link.
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

        /// Reads a packet without its H4 type octet; its length field must be right.
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

        /// The packet with its H4 type octet. A payload longer than 65535 octets is cut off there.
        package var h4Bytes: [UInt8] {
            let length = min(payload.count, Int(UInt16.max))
            let field =
                connectionHandle.rawValue | UInt16(boundary.rawValue) << 12 | UInt16(broadcast)
                << 14
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1 + Self.headerLength + length)
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

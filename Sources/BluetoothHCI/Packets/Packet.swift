// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The kind of a packet: the byte before each packet in an H4 stream (Vol 4, Part A, 2).
    package struct PacketType: OpenCode {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let command = PacketType(rawValue: 0x01)
        package static let acl = PacketType(rawValue: 0x02)
        package static let synchronous = PacketType(rawValue: 0x03)
        package static let event = PacketType(rawValue: 0x04)
        package static let isochronous = PacketType(rawValue: 0x05)

        package static let names: [UInt8: String] = [
            0x01: "command", 0x02: "ACL data", 0x03: "synchronous data", 0x04: "event",
            0x05: "isochronous data",
        ]
    }

    /// A packet of the interface, in either direction (Vol 4, Part E, 5.4).
    package enum Packet: Equatable, Sendable {
        case command(opcode: Opcode, parameters: ArraySlice<UInt8>)
        case acl(ACLPacket)
        /// Synchronous data (voice) of a BR/EDR link, header included. This package does not
        /// decode it.
        case synchronous(ArraySlice<UInt8>)
        case event(code: EventCode, parameters: ArraySlice<UInt8>)
        /// Isochronous data (audio streams), header included. This package does not decode it.
        case isochronous(ArraySlice<UInt8>)

        /// Decodes a complete H4 packet, type byte first.
        ///
        /// - Throws: ``MalformedBytes`` if the type is unknown or the length field does not match
        ///   the number of bytes.
        package init(h4 bytes: ArraySlice<UInt8>) throws(MalformedBytes) {
            guard let first = bytes.first else { throw .truncated(needed: 1, available: 0) }
            let body = bytes.dropFirst()
            switch PacketType(rawValue: first) {
            case .command:
                var reader = ByteReader(body)
                let opcode = Opcode(rawValue: try reader.readUInt16())
                self = .command(opcode: opcode, parameters: try reader.decodeWholeCountedBytes())
            case .event:
                var reader = ByteReader(body)
                let code = EventCode(rawValue: try reader.readUInt8())
                self = .event(code: code, parameters: try reader.decodeWholeCountedBytes())
            case .acl: self = .acl(try ACLPacket(parsing: body))
            case .synchronous: self = .synchronous(body)
            case .isochronous: self = .isochronous(body)
            default: throw .invalid(field: "packet type")
            }
        }

        /// The packet in H4 format, type byte first.
        package var h4Bytes: [UInt8] {
            switch self {
            case .command(let opcode, let parameters):
                var writer = ByteWriter(reservingCapacity: 4 + parameters.count)
                writer.write(PacketType.command.rawValue)
                writer.write(opcode.rawValue)
                writer.encodeCountedBytes(parameters)
                return writer.bytes
            case .event(let code, let parameters):
                var writer = ByteWriter(reservingCapacity: 3 + parameters.count)
                writer.write(PacketType.event.rawValue)
                writer.write(code.rawValue)
                writer.encodeCountedBytes(parameters)
                return writer.bytes
            case .acl(let packet): return packet.h4Bytes
            case .synchronous(let body): return [PacketType.synchronous.rawValue] + body
            case .isochronous(let body): return [PacketType.isochronous.rawValue] + body
            }
        }
    }
}

extension ByteReader {
    /// Reads a byte that gives a number of bytes, then those bytes, which must be the last.
    mutating func decodeWholeCountedBytes() throws(MalformedBytes) -> ArraySlice<UInt8> {
        let bytes = try decodeCountedBytes()
        try finish()
        return bytes
    }
}

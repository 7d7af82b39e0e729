// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request for the types of the attributes in a range (Vol 3, Part F, 3.4.3.1).
    package struct FindInformationRequest: Parameters {
        package static let opcode = Opcode.findInformationRequest

        package var start: AttributeHandle
        package var end: AttributeHandle

        package init(start: AttributeHandle, end: AttributeHandle) {
            self.start = start
            self.end = end
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            start = try reader.readAttributeHandle()
            end = try reader.readAttributeHandle()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
        }

        package var encodedLength: Int { 4 }
    }

    /// A response with the handles and types of one or more attributes (Vol 3, Part F, 3.4.3.2).
    package struct FindInformationResponse: Parameters {
        package static let opcode = Opcode.findInformationResponse

        /// An attribute and its type.
        package struct Entry: Equatable, Sendable {
            package var handle: AttributeHandle
            package var uuid: BluetoothUUID

            package init(handle: AttributeHandle, uuid: BluetoothUUID) {
                self.handle = handle
                self.uuid = uuid
            }
        }

        /// The length of all UUIDs in a response: 16 or 128 bits.
        package enum Format: UInt8, Sendable {
            case uuid16 = 0x01
            case uuid128 = 0x02

            var uuidLength: Int { self == .uuid16 ? 2 : 16 }
        }

        package let format: Format
        package let entries: [Entry]

        /// Creates a response with at least one entry. It has the short format if every type has a
        /// 16-bit form, and otherwise the long one.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a Find Information Response needs an entry")
            self.entries = entries
            format = entries.allSatisfy { $0.uuid.short16 != nil } ? .uuid16 : .uuid128
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            guard let format = Format(rawValue: try reader.readUInt8()) else {
                throw .invalid(field: "format")
            }
            self.format = format
            var entries: [Entry] = []
            repeat {
                let handle = try reader.readAttributeHandle()
                let bytes = try reader.readBytes(format.uuidLength)
                guard let uuid = BluetoothUUID(littleEndian: bytes) else {
                    throw .invalid(field: "UUID")
                }
                entries.append(Entry(handle: handle, uuid: uuid))
            } while !reader.isAtEnd
            self.entries = entries
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(format.rawValue)
            for entry in entries {
                writer.write(entry.handle)
                let uuid = entry.uuid
                writer.write(contentsOf: format == .uuid16 ? uuid.attBytes : uuid.bytes128)
            }
        }

        package var encodedLength: Int { 1 + entries.count * (2 + format.uuidLength) }
    }
}

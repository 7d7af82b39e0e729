// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request for the groups in a range of handles whose first attribute has a given type (Vol
    /// 3, Part F, 3.4.4.9).
    package struct ReadByGroupTypeRequest: RangeAndType {
        package static let opcode = Opcode.readByGroupTypeRequest

        package var start: AttributeHandle
        package var end: AttributeHandle
        package var type: BluetoothUUID

        package init(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID) {
            self.start = start
            self.end = end
            self.type = type
        }
    }

    /// A response with one or more groups, each with the value of its first attribute. All values
    /// have the same length (Vol 3, Part F, 3.4.4.10).
    package struct ReadByGroupTypeResponse: Parameters {
        package static let opcode = Opcode.readByGroupTypeResponse

        /// The maximum length of a value in bytes. An entry has up to 255 bytes, four of which are
        /// its two handles.
        package static let valueLengthLimit = 251

        /// A group: its first handle, its last handle, and the value of its first attribute.
        package struct Entry: Equatable, Sendable {
            package var handle: AttributeHandle
            package var groupEnd: AttributeHandle
            package var value: ArraySlice<UInt8>

            package init(
                handle: AttributeHandle,
                groupEnd: AttributeHandle,
                value: ArraySlice<UInt8>
            ) {
                self.handle = handle
                self.groupEnd = groupEnd
                self.value = value
            }
        }

        package let entries: [Entry]

        /// The length of each value in bytes.
        package var valueLength: Int { entries[0].value.count }

        /// Creates a response with at least one entry. All values must have the same length, at
        /// most `valueLengthLimit`.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a Read By Group Type Response needs an entry")
            let length = entries[0].value.count
            precondition(
                length <= Self.valueLengthLimit,
                "the value is too long for its length byte"
            )
            precondition(
                entries.allSatisfy { $0.value.count == length },
                "the values differ in length"
            )
            self.entries = entries
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            let length = Int(try reader.readUInt8())
            guard length >= 4 else { throw .invalid(field: "length") }
            var entries: [Entry] = []
            entries.reserveCapacity(reader.remaining / length)
            repeat {
                let handle = try reader.readAttributeHandle()
                let groupEnd = try reader.readAttributeHandle()
                let value = try reader.readBytes(length - 4)
                entries.append(Entry(handle: handle, groupEnd: groupEnd, value: value))
            } while !reader.isAtEnd
            self.entries = entries
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(UInt8(4 + valueLength))
            for entry in entries {
                writer.write(entry.handle)
                writer.write(entry.groupEnd)
                writer.write(contentsOf: entry.value)
            }
        }

        package var encodedLength: Int { 1 + entries.count * (4 + valueLength) }
    }
}

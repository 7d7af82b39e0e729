// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request for the values of all attributes of one type in a range of handles (Vol 3, Part F,
    /// 3.4.4.1).
    package struct ReadByTypeRequest: RangeAndType {
        package static let opcode = Opcode.readByTypeRequest

        package var start: AttributeHandle
        package var end: AttributeHandle
        package var type: BluetoothUUID

        package init(start: AttributeHandle, end: AttributeHandle, type: BluetoothUUID) {
            self.start = start
            self.end = end
            self.type = type
        }
    }

    /// A response with one or more attributes, whose values have the same length (Vol 3, Part F,
    /// 3.4.4.2).
    package struct ReadByTypeResponse: Parameters {
        package static let opcode = Opcode.readByTypeResponse

        /// The maximum length of a value in bytes. An entry has up to 255 bytes, two of which are
        /// its handle.
        package static let valueLengthLimit = 253

        /// An attribute and its value, which the server may have truncated.
        package struct Entry: Equatable, Sendable {
            package var handle: AttributeHandle
            package var value: ArraySlice<UInt8>

            package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
                self.handle = handle
                self.value = value
            }
        }

        package let entries: [Entry]

        /// The length of each value in bytes.
        package var valueLength: Int { entries[0].value.count }

        /// Creates a response with at least one entry. All values must have the same length, at
        /// most `valueLengthLimit`.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a Read By Type Response needs an entry")
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
            guard length >= 2 else { throw .invalid(field: "length") }
            var entries: [Entry] = []
            entries.reserveCapacity(reader.remaining / length)
            repeat {
                let handle = try reader.readAttributeHandle()
                let value = try reader.readBytes(length - 2)
                entries.append(Entry(handle: handle, value: value))
            } while !reader.isAtEnd
            self.entries = entries
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(UInt8(2 + valueLength))
            for entry in entries {
                writer.write(entry.handle)
                writer.write(contentsOf: entry.value)
            }
        }

        package var encodedLength: Int { 1 + entries.count * (2 + valueLength) }
    }
}

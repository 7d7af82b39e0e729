// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// Asks for the values of the attributes in a range that have a type
    /// (Vol 3, Part F, 3.4.4.1).
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

    /// Handles with their values, at least one, all of the same length
    /// (Vol 3, Part F, 3.4.4.2).
    package struct ReadByTypeResponse: Parameters {
        package static let opcode = Opcode.readByTypeResponse

        /// The longest value that the length octet can tell: 255 less the handle.
        package static let valueLengthLimit = 253

        /// An attribute and its value, or as much of it as the server had room for.
        package struct Entry: Equatable, Sendable {
            package var handle: AttributeHandle
            package var value: ArraySlice<UInt8>

            package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
                self.handle = handle
                self.value = value
            }
        }

        package let entries: [Entry]

        /// The octets of each value.
        package var valueLength: Int { entries[0].value.count }

        /// Makes a response. There must be an entry, and all values must have the same length, at
        /// most `valueLengthLimit`.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a Read By Type Response has an entry at least")
            let length = entries[0].value.count
            precondition(length <= Self.valueLengthLimit, "a value too long for its length octet")
            precondition(entries.allSatisfy { $0.value.count == length }, "values differ in length")
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

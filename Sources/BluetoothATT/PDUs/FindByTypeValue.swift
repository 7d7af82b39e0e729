// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A request for the attributes in a range that have a given type and value (Vol 3, Part F,
    /// 3.4.3.3).
    package struct FindByTypeValueRequest: Parameters {
        package static let opcode = Opcode.findByTypeValueRequest

        package var start: AttributeHandle
        package var end: AttributeHandle
        /// The 16-bit UUID of the type. The request cannot contain a longer UUID.
        package var type: UInt16
        package var value: ArraySlice<UInt8>

        package init(
            start: AttributeHandle,
            end: AttributeHandle,
            type: UInt16,
            value: ArraySlice<UInt8>
        ) {
            self.start = start
            self.end = end
            self.type = type
            self.value = value
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            start = try reader.readAttributeHandle()
            end = try reader.readAttributeHandle()
            type = try reader.readUInt16()
            value = reader.readRemaining()
        }

        package func encode(into writer: inout ByteWriter) {
            writer.write(start)
            writer.write(end)
            writer.write(type)
            writer.write(contentsOf: value)
        }

        package var encodedLength: Int { 6 + value.count }
    }

    /// A response with one or more found attributes, each with the last handle of the group that it
    /// starts (Vol 3, Part F, 3.4.3.4).
    package struct FindByTypeValueResponse: Parameters {
        package static let opcode = Opcode.findByTypeValueResponse

        /// The handle of a found attribute, and the last handle of the group that starts with it.
        package struct HandlesInformation: Equatable, Sendable {
            package var found: AttributeHandle
            package var groupEnd: AttributeHandle

            package init(found: AttributeHandle, groupEnd: AttributeHandle) {
                self.found = found
                self.groupEnd = groupEnd
            }
        }

        package let entries: [HandlesInformation]

        /// Creates a response with at least one entry.
        package init(entries: [HandlesInformation]) {
            precondition(!entries.isEmpty, "a Find By Type Value Response needs an entry")
            self.entries = entries
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            var entries: [HandlesInformation] = []
            repeat {
                let found = try reader.readAttributeHandle()
                let groupEnd = try reader.readAttributeHandle()
                entries.append(HandlesInformation(found: found, groupEnd: groupEnd))
            } while !reader.isAtEnd
            self.entries = entries
        }

        package func encode(into writer: inout ByteWriter) {
            for entry in entries {
                writer.write(entry.found)
                writer.write(entry.groupEnd)
            }
        }

        package var encodedLength: Int { 4 * entries.count }
    }
}

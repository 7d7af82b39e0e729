// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A server's report of a value, without a confirmation (Vol 3, Part F, 3.4.7.1).
    package struct HandleValueNotification: HandleAndValue {
        package static let opcode = Opcode.handleValueNotification

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// A server's report of a value, which the client must confirm before the next indication (Vol
    /// 3, Part F, 3.4.7.2). The Handle Value Confirmation has no parameters.
    package struct HandleValueIndication: HandleAndValue {
        package static let opcode = Opcode.handleValueIndication

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// A server's report of several values, without a confirmation (Vol 3, Part F, 3.4.7.4).
    package struct MultipleHandleValueNotification: Parameters {
        package static let opcode = Opcode.multipleHandleValueNotification

        /// An attribute and its complete value.
        package struct Entry: Equatable, Sendable {
            package let handle: AttributeHandle
            package let value: ArraySlice<UInt8>

            /// Creates an entry with a value of up to 65,535 bytes.
            package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
                precondition(
                    value.count <= UInt16.max,
                    "the value is too long for its length field"
                )
                self.handle = handle
                self.value = value
            }
        }

        package let entries: [Entry]

        /// Creates a notification with at least one entry. Servers send two or more entries, but
        /// the decoder also accepts one.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a notification needs an entry")
            self.entries = entries
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            var entries: [Entry] = []
            repeat {
                let handle = try reader.readAttributeHandle()
                let length = Int(try reader.readUInt16())
                entries.append(Entry(handle: handle, value: try reader.readBytes(length)))
            } while !reader.isAtEnd
            self.entries = entries
        }

        package func encode(into writer: inout ByteWriter) {
            for entry in entries {
                writer.write(entry.handle)
                writer.write(UInt16(entry.value.count))
                writer.write(contentsOf: entry.value)
            }
        }

        package var encodedLength: Int { entries.reduce(0) { $0 + 4 + $1.value.count } }
    }
}

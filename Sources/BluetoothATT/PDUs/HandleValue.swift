// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// The server tells a value; nobody answers (Vol 3, Part F, 3.4.7.1).
    package struct HandleValueNotification: HandleAndValue {
        package static let opcode = Opcode.handleValueNotification

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// The server tells a value, and waits for a confirmation before it indicates another
    /// (Vol 3, Part F, 3.4.7.2). The Handle Value Confirmation has no parameters.
    package struct HandleValueIndication: HandleAndValue {
        package static let opcode = Opcode.handleValueIndication

        package var handle: AttributeHandle
        package var value: ArraySlice<UInt8>

        package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// The server tells several values at once; nobody answers (Vol 3, Part F, 3.4.7.4).
    package struct MultipleHandleValueNotification: Parameters {
        package static let opcode = Opcode.multipleHandleValueNotification

        /// An attribute and its whole value.
        package struct Entry: Equatable, Sendable {
            package let handle: AttributeHandle
            package let value: ArraySlice<UInt8>

            /// Makes an entry of 65,535 octets at most.
            package init(handle: AttributeHandle, value: ArraySlice<UInt8>) {
                precondition(value.count <= UInt16.max, "a value too long for its length field")
                self.handle = handle
                self.value = value
            }
        }

        package let entries: [Entry]

        /// Makes a notification; there must be an entry. A server sends two or more, and one is
        /// understood all the same.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a notification has an entry at least")
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

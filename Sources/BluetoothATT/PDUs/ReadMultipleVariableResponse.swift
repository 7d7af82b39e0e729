// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// A response with the values and their lengths, truncated to the MTU at any position (Vol 3,
    /// Part F, 3.4.4.12).
    package struct ReadMultipleVariableResponse: Parameters {
        package static let opcode = Opcode.readMultipleVariableResponse

        /// A value and its length on the server.
        package struct Entry: Equatable, Sendable {
            /// The length of the attribute's value, which is greater than that of `value` if the
            /// value is truncated.
            package let fullLength: UInt16
            package let value: ArraySlice<UInt8>

            /// Creates the entry of a complete value of up to 65,535 bytes.
            package init(value: ArraySlice<UInt8>) {
                self.init(fullLength: UInt16(value.count), value: value)
            }

            /// Creates the entry of a value that may be truncated.
            ///
            /// - Parameters:
            ///   - fullLength: The length of the complete value in bytes.
            ///   - value: The available bytes of the value.
            package init(fullLength: UInt16, value: ArraySlice<UInt8>) {
                self.fullLength = fullLength
                self.value = value
            }
        }

        /// The entries in the order of the request's handles. A truncated response may have fewer
        /// entries than the request has handles.
        package let entries: [Entry]

        /// The values without their lengths.
        package var values: [ArraySlice<UInt8>] { entries.map(\.value) }

        /// Creates a response with at least one entry.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a response needs an entry")
            self.entries = entries
        }

        /// Decodes the parameters. Only the last entry can be truncated. A single remaining byte is
        /// half of a truncated length and is ignored.
        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            var entries: [Entry] = []
            repeat {
                let length = try reader.readUInt16()
                let value = try reader.readBytes(min(Int(length), reader.remaining))
                entries.append(Entry(fullLength: length, value: value))
            } while reader.remaining >= 2
            _ = reader.readRemaining()
            self.entries = entries
        }

        package func encode(into writer: inout ByteWriter) {
            for entry in entries {
                writer.write(entry.fullLength)
                writer.write(contentsOf: entry.value)
            }
        }

        package var encodedLength: Int { entries.reduce(0) { $0 + 2 + $1.value.count } }
    }
}

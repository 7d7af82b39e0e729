// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATT {
    /// The values, each with its length; what does not fit into the MTU is cut off, wherever the
    /// cut may fall (Vol 3, Part F, 3.4.4.12).
    package struct ReadMultipleVariableResponse: Parameters {
        package static let opcode = Opcode.readMultipleVariableResponse

        /// A value, and the length that it has on the server.
        package struct Entry: Equatable, Sendable {
            /// The length of the attribute's value; more than `value` has if the end was cut off.
            package let fullLength: UInt16
            package let value: ArraySlice<UInt8>

            /// Makes the entry of a value that is there as a whole: 65,535 octets at most.
            package init(value: ArraySlice<UInt8>) {
                self.init(fullLength: UInt16(value.count), value: value)
            }

            /// Makes the entry of a value that may have been cut, from the whole one's length and
            /// what is left of it.
            package init(fullLength: UInt16, value: ArraySlice<UInt8>) {
                self.fullLength = fullLength
                self.value = value
            }

            package var isTruncated: Bool { value.count < Int(fullLength) }
        }

        /// In the order of the request's handles; fewer than those if the end was cut off.
        package let entries: [Entry]

        /// The values without their lengths.
        package var values: [ArraySlice<UInt8>] { entries.map(\.value) }

        /// Makes a response; there must be an entry.
        package init(entries: [Entry]) {
            precondition(!entries.isEmpty, "a response has an entry at least")
            self.entries = entries
        }

        /// Only the last entry can be cut. One octet left over is half of a length, cut by the
        /// MTU too, and tells nothing.
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The commands that a controller supports, one bit each (Vol 4, Part E, 6.27).
    package struct SupportedCommands: Hashable, HCIParameters, CustomStringConvertible {
        /// The length of the field in bytes.
        package static let length = 64

        private var bytes: [UInt8]

        /// Creates a set of the given commands. Commands without a bit in the field are omitted.
        package init(_ opcodes: some Sequence<Opcode> = EmptyCollection()) {
            bytes = [UInt8](repeating: 0, count: Self.length)
            for opcode in opcodes {
                guard let (byte, bit) = Self.positions[opcode] else { continue }
                bytes[byte] |= 1 << bit
            }
        }

        /// Returns whether the controller lists the command. The result is `false` for commands
        /// without a bit.
        package func contains(_ opcode: Opcode) -> Bool {
            guard let (byte, bit) = Self.positions[opcode] else { return false }
            return bytes[byte] & 1 << bit != 0
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            bytes = Array(try reader.readBytes(Self.length))
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.write(contentsOf: bytes)
        }

        package var description: String {
            "\(bytes.reduce(0) { $0 + $1.nonzeroBitCount }) commands"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The commands that a controller supports, one bit each (Vol 4, Part E, 6.27).
    package struct SupportedCommands: Hashable, HCIParameters, CustomStringConvertible {
        /// The length of the field in bytes.
        package static let length = 64

        private var octets: [UInt8]

        /// Creates a set of the given commands. Commands without a bit in the field are omitted.
        package init(_ opcodes: some Sequence<Opcode> = EmptyCollection()) {
            octets = [UInt8](repeating: 0, count: Self.length)
            for opcode in opcodes {
                guard let (octet, bit) = Self.positions[opcode] else { continue }
                octets[octet] |= 1 << bit
            }
        }

        /// Returns whether the controller lists the command. The result is false for commands
        /// without a bit.
        package func contains(_ opcode: Opcode) -> Bool {
            guard let (octet, bit) = Self.positions[opcode] else { return false }
            return octets[octet] & 1 << bit != 0
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            octets = Array(try reader.readBytes(Self.length))
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.write(contentsOf: octets)
        }

        package var description: String {
            "\(octets.reduce(0) { $0 + $1.nonzeroBitCount }) commands"
        }
    }
}

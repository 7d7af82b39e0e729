// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The commands that a controller knows, one bit each (Vol 4, Part E, 6.27).
    package struct SupportedCommands: Hashable, HCIParameters, CustomStringConvertible {
        /// The octets of the field.
        package static let length = 64

        private var octets: [UInt8]

        /// The set of the given commands. Those without a bit of their own are left out.
        package init(_ opcodes: some Sequence<Opcode> = EmptyCollection()) {
            octets = [UInt8](repeating: 0, count: Self.length)
            for opcode in opcodes {
                guard let (octet, bit) = Self.positions[opcode] else { continue }
                octets[octet] |= 1 << bit
            }
        }

        /// Whether the controller lists the command. Without a bit of its own, it does not.
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

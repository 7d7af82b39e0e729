// SPDX-License-Identifier: Apache-2.0

extension GATT {
    /// How a characteristic's value can be used (Vol 3, Part G, 3.3.1.1).
    public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
        /// The octet that travels.
        public let rawValue: UInt8

        /// Makes the set of those bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The value may be broadcast in advertising data.
        public static let broadcast = CharacteristicProperties(rawValue: 1 << 0)
        /// The value can be read.
        public static let read = CharacteristicProperties(rawValue: 1 << 1)
        /// The value can be written without an answer.
        public static let writeWithoutResponse = CharacteristicProperties(rawValue: 1 << 2)
        /// The value can be written with an answer.
        public static let write = CharacteristicProperties(rawValue: 1 << 3)
        /// The value can be sent unasked, unconfirmed.
        public static let notify = CharacteristicProperties(rawValue: 1 << 4)
        /// The value can be sent unasked, each time confirmed.
        public static let indicate = CharacteristicProperties(rawValue: 1 << 5)
        /// The value can be written with a signature in place of encryption.
        public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 1 << 6)
        /// More properties are in a descriptor (0x2900).
        public static let extendedProperties = CharacteristicProperties(rawValue: 1 << 7)
    }
}

extension GATT.CharacteristicProperties: CustomStringConvertible {
    private static let namesByBit = [
        "broadcast", "read", "writeWithoutResponse", "write", "notify", "indicate",
        "authenticatedSignedWrites", "extendedProperties",
    ]

    /// The names of the properties in the set, in the order of their bits.
    public var names: [String] {
        Self.namesByBit.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
    }

    /// The names with a comma between them.
    public var description: String { names.joined(separator: ", ") }
}

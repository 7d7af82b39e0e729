// SPDX-License-Identifier: Apache-2.0

extension GATT {
    /// The operations that a characteristic's value supports (Vol 3, Part G, 3.3.1.1).
    public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
        /// The properties as bits, as in the characteristic declaration.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The value can be broadcast in advertising data.
        public static let broadcast = CharacteristicProperties(rawValue: 1 << 0)
        /// The value can be read.
        public static let read = CharacteristicProperties(rawValue: 1 << 1)
        /// The value can be written without a response.
        public static let writeWithoutResponse = CharacteristicProperties(rawValue: 1 << 2)
        /// The value can be written with a response.
        public static let write = CharacteristicProperties(rawValue: 1 << 3)
        /// The server can send the value in notifications, which have no confirmation.
        public static let notify = CharacteristicProperties(rawValue: 1 << 4)
        /// The server can send the value in indications, each of which the client confirms.
        public static let indicate = CharacteristicProperties(rawValue: 1 << 5)
        /// The value can be written with a signature on a link without encryption.
        public static let authenticatedSignedWrites = CharacteristicProperties(rawValue: 1 << 6)
        /// A descriptor (0x2900) contains more properties.
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

    /// The names, separated by commas.
    public var description: String { names.joined(separator: ", ") }
}

extension GATT {
    /// The kind of PDU in which a server sends changes of a value, as the Client Characteristic
    /// Configuration descriptor determines (Vol 3, Part G, 3.3.3.3).
    public enum SubscriptionKind: Hashable, Sendable {
        /// The server sends notifications, which the client does not confirm.
        case notification
        /// The server sends indications, and sends the next one only after the client has confirmed
        /// the previous one.
        case indication

        /// The value of the descriptor that requests this kind.
        package var configuration: UInt16 {
            switch self {
            case .notification: 0x0001
            case .indication: 0x0002
            }
        }
    }
}

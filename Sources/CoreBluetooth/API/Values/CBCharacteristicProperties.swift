// SPDX-License-Identifier: Apache-2.0

/// What can be done with a characteristic (Vol 3, Part G, 3.3.1.1), and two bits that never travel:
/// what a peripheral demands of a central that subscribes.
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits; the lower eight are those of the characteristic's declaration.
    public let rawValue: UInt

    /// Makes the set of these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The value may be broadcast. Not allowed for a characteristic that is published here.
    public static var broadcast: CBCharacteristicProperties { .init(rawValue: 0x1) }
    /// The value can be read.
    public static var read: CBCharacteristicProperties { .init(rawValue: 0x2) }
    /// The value can be written without an answer.
    public static var writeWithoutResponse: CBCharacteristicProperties { .init(rawValue: 0x4) }
    /// The value can be written, with an answer.
    public static var write: CBCharacteristicProperties { .init(rawValue: 0x8) }
    /// The value can be sent unasked, unconfirmed.
    public static var notify: CBCharacteristicProperties { .init(rawValue: 0x10) }
    /// The value can be sent unasked, each time confirmed.
    public static var indicate: CBCharacteristicProperties { .init(rawValue: 0x20) }
    /// The value can be written with a signature in place of encryption.
    public static var authenticatedSignedWrites: CBCharacteristicProperties {
        .init(rawValue: 0x40)
    }
    /// A descriptor has more properties. Not allowed for a characteristic that is published here.
    public static var extendedProperties: CBCharacteristicProperties { .init(rawValue: 0x80) }
    /// Only a central on an encrypted link may switch notifications on.
    public static var notifyEncryptionRequired: CBCharacteristicProperties {
        .init(rawValue: 0x100)
    }
    /// Only a central on an encrypted link may switch indications on.
    public static var indicateEncryptionRequired: CBCharacteristicProperties {
        .init(rawValue: 0x200)
    }
}

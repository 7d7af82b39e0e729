// SPDX-License-Identifier: Apache-2.0

/// The ways in which a characteristic can be used (Vol 3, Part G, 3.3.1.1). Two further bits are
/// not sent to peers: they require encryption from centrals that subscribe to a published
/// characteristic.
public struct CBCharacteristicProperties: OptionSet, Sendable {
    /// The bits. The lower eight are those of the characteristic's declaration.
    public let rawValue: UInt

    /// Creates a set from its bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The value may be broadcast. Not allowed for a published characteristic.
    public static var broadcast: CBCharacteristicProperties { .init(rawValue: 0x1) }
    /// The value can be read.
    public static var read: CBCharacteristicProperties { .init(rawValue: 0x2) }
    /// The value can be written without a response.
    public static var writeWithoutResponse: CBCharacteristicProperties { .init(rawValue: 0x4) }
    /// The value can be written with a response.
    public static var write: CBCharacteristicProperties { .init(rawValue: 0x8) }
    /// The value can be sent in notifications, without confirmation.
    public static var notify: CBCharacteristicProperties { .init(rawValue: 0x10) }
    /// The value can be sent in indications, with confirmation.
    public static var indicate: CBCharacteristicProperties { .init(rawValue: 0x20) }
    /// The value can be written with a signature instead of encryption.
    public static var authenticatedSignedWrites: CBCharacteristicProperties {
        .init(rawValue: 0x40)
    }
    /// The Characteristic Extended Properties descriptor holds further properties. Not allowed for
    /// a published characteristic.
    public static var extendedProperties: CBCharacteristicProperties { .init(rawValue: 0x80) }
    /// Only a central on an encrypted link can enable notifications.
    public static var notifyEncryptionRequired: CBCharacteristicProperties {
        .init(rawValue: 0x100)
    }
    /// Only a central on an encrypted link can enable indications.
    public static var indicateEncryptionRequired: CBCharacteristicProperties {
        .init(rawValue: 0x200)
    }
}

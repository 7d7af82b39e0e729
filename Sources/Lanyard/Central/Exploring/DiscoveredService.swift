// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service that ``Accessory/discoverServices()`` has found, whether or not the description
/// declares it.
public struct DiscoveredService: Hashable, Sendable {
    /// The UUID of the service.
    public let identifier: BluetoothID
    /// Whether the service is primary. Other services are found only through a service that
    /// includes them.
    public let isPrimary: Bool
    /// The UUIDs of the services that this one includes.
    public let includedServices: [BluetoothID]
    /// The characteristics of the service, in the order of the accessory.
    public let characteristics: [DiscoveredCharacteristic]
}

/// A characteristic that ``Accessory/discoverServices()`` has found, whether or not the description
/// declares it.
///
/// ``Accessory/read(_:)-(DiscoveredCharacteristic)`` reads it as long as the link lasts and its
/// service does not change. To write a characteristic or to receive its values, declare it in the
/// description.
public struct DiscoveredCharacteristic: Hashable, Sendable {
    /// The UUID of the characteristic.
    public let identifier: BluetoothID
    /// The UUID of the service that has the characteristic.
    public let service: BluetoothID
    /// The operations that the characteristic permits.
    public let properties: CharacteristicUses
    /// The descriptors of the characteristic.
    public let descriptors: [DiscoveredDescriptor]
    let reference: AttributeReference
}

/// A descriptor of a characteristic.
///
/// ``Accessory/read(_:)-(DiscoveredDescriptor)`` reads it as long as the link lasts and its service
/// does not change.
public struct DiscoveredDescriptor: Hashable, Sendable {
    /// The UUID of the descriptor.
    public let identifier: BluetoothID
    /// The UUID of the characteristic that has the descriptor.
    public let characteristic: BluetoothID
    let reference: AttributeReference
}

/// The operations that a discovered characteristic permits (Vol 3, Part G, 3.3.1.1).
public struct CharacteristicUses: OptionSet, Hashable, Sendable {
    /// The bits of the characteristic's properties.
    public let rawValue: Int

    /// Creates a set from the bits of the characteristic's properties.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The characteristic can be read.
    public static let read = CharacteristicUses(rawValue: 0x02)
    /// The characteristic can be written without response.
    public static let writeWithoutResponse = CharacteristicUses(rawValue: 0x04)
    /// The characteristic can be written with response.
    public static let write = CharacteristicUses(rawValue: 0x08)
    /// The accessory sends values without confirmation.
    public static let notify = CharacteristicUses(rawValue: 0x10)
    /// The accessory sends values with confirmation.
    public static let indicate = CharacteristicUses(rawValue: 0x20)
}

/// The contents of a descriptor, in the form in which the system reports them.
public enum DescriptorContent: Hashable, Sendable {
    /// A text, such as that of the Characteristic User Description (2901).
    case text(String)
    /// A number, such as that of the Client Characteristic Configuration (2902).
    case number(Int)
    /// Bytes, such as those of the Characteristic Presentation Format (2904).
    case bytes(Data)
}

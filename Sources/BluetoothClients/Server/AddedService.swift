// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// A published service as a value: the data to publish it, and to make the application's object
/// again after a restart.
///
/// UUIDs are text with as many digits as the application used: 4, 8 or 32.
package struct AddedService: Hashable, Sendable {
    /// The number of the service at its manager.
    package let number: Int
    package let uuid: String
    package let isPrimary: Bool
    /// The numbers of the included services.
    package let includes: [Int]
    package let characteristics: [AddedCharacteristic]
    /// The handle of the service; `nil` for any free one.
    package var handle: UInt16?

    package init(
        number: Int,
        uuid: String,
        isPrimary: Bool,
        includes: [Int],
        characteristics: [AddedCharacteristic],
        handle: UInt16? = nil
    ) {
        self.number = number
        self.uuid = uuid
        self.isPrimary = isPrimary
        self.includes = includes
        self.characteristics = characteristics
        self.handle = handle
    }
}

/// A characteristic of a published service.
package struct AddedCharacteristic: Hashable, Sendable {
    package let uuid: String
    package let properties: ServedProperties
    package let permissions: ServedPermissions
    /// The value of a static characteristic; `nil` for a dynamic characteristic.
    package let value: [UInt8]?
    package let descriptors: [AddedDescriptor]

    package init(
        uuid: String,
        properties: ServedProperties,
        permissions: ServedPermissions,
        value: [UInt8]?,
        descriptors: [AddedDescriptor]
    ) {
        self.uuid = uuid
        self.properties = properties
        self.permissions = permissions
        self.value = value
        self.descriptors = descriptors
    }
}

/// A descriptor of a published characteristic.
package struct AddedDescriptor: Hashable, Sendable {
    package let uuid: String
    package let value: [UInt8]

    package init(uuid: String, value: [UInt8]) {
        self.uuid = uuid
        self.value = value
    }
}

/// The properties of a published characteristic. The bits are those of Core Bluetooth. Their lowest
/// byte is the properties field of a characteristic declaration (Vol 3, Part G, 3.3.1.1).
package struct ServedProperties: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let broadcast = ServedProperties(rawValue: 0x01)
    package static let read = ServedProperties(rawValue: 0x02)
    package static let notify = ServedProperties(rawValue: 0x10)
    package static let indicate = ServedProperties(rawValue: 0x20)
    package static let extendedProperties = ServedProperties(rawValue: 0x80)
    /// Notifications require encryption.
    package static let notifyEncryptionRequired = ServedProperties(rawValue: 0x100)
    /// Indications require encryption.
    package static let indicateEncryptionRequired = ServedProperties(rawValue: 0x200)
}

/// The permitted accesses to a published value. The bits are those of Core Bluetooth.
package struct ServedPermissions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let readable = ServedPermissions(rawValue: 0x01)
    package static let writeable = ServedPermissions(rawValue: 0x02)
    package static let readEncryptionRequired = ServedPermissions(rawValue: 0x04)
    package static let writeEncryptionRequired = ServedPermissions(rawValue: 0x08)
}

extension AddedService {
    /// The type of the service.
    var type: BluetoothUUID { BluetoothUUID(text: uuid) }

    /// Returns whether both values publish the same service, with any handle.
    package func publishesSame(as other: AddedService) -> Bool {
        var other = other
        other.handle = handle
        return self == other
    }
}

extension AddedCharacteristic {
    /// The type of the characteristic.
    var type: BluetoothUUID { BluetoothUUID(text: uuid) }
}

extension AddedDescriptor {
    /// The type of the descriptor.
    var type: BluetoothUUID { BluetoothUUID(text: uuid) }
}

extension BluetoothUUID {
    /// Creates a UUID from the text of a ``WrittenUUID``.
    fileprivate init(text: String) {
        self = WrittenUUID(text: text)?.value ?? BluetoothUUID(0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

extension PublishedCharacteristic {
    /// The characteristic for Core Bluetooth, without a value, so that Core Bluetooth asks for it.
    var mutable: CBMutableCharacteristic {
        CBMutableCharacteristic(
            type: identifier.cbuuid,
            properties: properties,
            value: nil,
            permissions: permissions
        )
    }

    /// The properties. A protected characteristic sends values only over an encrypted link.
    private var properties: CBCharacteristicProperties {
        var properties = CBCharacteristicProperties(
            rawValue: .init(uses.subtracting([.notify, .indicate]).rawValue)
        )
        if uses.contains(.notify) {
            properties.insert(isProtected ? .notifyEncryptionRequired : .notify)
        }
        if uses.contains(.indicate) {
            properties.insert(isProtected ? .indicateEncryptionRequired : .indicate)
        }
        return properties
    }

    private var permissions: CBAttributePermissions {
        isProtected
            ? [.readEncryptionRequired, .writeEncryptionRequired] : [.readable, .writeable]
    }
}

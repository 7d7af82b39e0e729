// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBMutableCharacteristicSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(163, "CBMutableCharacteristic") { _ in
                let _: CBCharacteristic.Type = CBMutableCharacteristic.self
                let _: CBMutableCharacteristic.Type = OpenCBMutableCharacteristic.self
            },
            Symbol(164, "CBMutableCharacteristic.init(type:properties:value:permissions:)") { _ in
                let _:
                    (CBUUID, CBCharacteristicProperties, Data?, CBAttributePermissions) ->
                        CBMutableCharacteristic = CBMutableCharacteristic.init(
                            type:
                            properties:
                            value:
                            permissions:
                        )
            },
            Symbol(165, "CBMutableCharacteristic.permissions") { _ in
                let _: ReferenceWritableKeyPath<CBMutableCharacteristic, CBAttributePermissions> =
                    \.permissions
            },
            Symbol(166, "CBMutableCharacteristic.subscribedCentrals") { _ in
                let _: KeyPath<CBMutableCharacteristic, [CBCentral]?> = \.subscribedCentrals
            },
            Symbol(167, "CBMutableCharacteristic.properties") { _ in
                let _:
                    ReferenceWritableKeyPath<CBMutableCharacteristic, CBCharacteristicProperties> =
                        \.properties
            },
            Symbol(168, "CBMutableCharacteristic.value") { _ in
                let _: ReferenceWritableKeyPath<CBMutableCharacteristic, Data?> = \.value
            },
            Symbol(169, "CBMutableCharacteristic.descriptors") { _ in
                let _: ReferenceWritableKeyPath<CBMutableCharacteristic, [CBDescriptor]?> =
                    \.descriptors
            },
        ]
    }
}

private class OpenCBMutableCharacteristic: CBMutableCharacteristic {
    override init(
        type UUID: CBUUID,
        properties: CBCharacteristicProperties,
        value: Data?,
        permissions: CBAttributePermissions
    ) {
        super.init(type: UUID, properties: properties, value: value, permissions: permissions)
    }

    override var permissions: CBAttributePermissions {
        get { super.permissions }
        set { super.permissions = newValue }
    }

    override var subscribedCentrals: [CBCentral]? { super.subscribedCentrals }

    override var properties: CBCharacteristicProperties {
        get { super.properties }
        set { super.properties = newValue }
    }

    override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }

    override var descriptors: [CBDescriptor]? {
        get { super.descriptors }
        set { super.descriptors = newValue }
    }
}

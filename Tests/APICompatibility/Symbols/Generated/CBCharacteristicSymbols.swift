// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCharacteristicSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(156, "CBCharacteristic") { _ in
                let _: CBAttribute.Type = CBCharacteristic.self
                let _: CBCharacteristic.Type = OpenCBCharacteristic.self
            },
            Symbol(157, "CBCharacteristic.service") { _ in
                let _: KeyPath<CBCharacteristic, CBService?> = \.service
            },
            Symbol(158, "CBCharacteristic.properties") { _ in
                let _: KeyPath<CBCharacteristic, CBCharacteristicProperties> = \.properties
            },
            Symbol(159, "CBCharacteristic.value") { _ in
                let _: KeyPath<CBCharacteristic, Data?> = \.value
            },
            Symbol(160, "CBCharacteristic.descriptors") { _ in
                let _: KeyPath<CBCharacteristic, [CBDescriptor]?> = \.descriptors
            },
            Symbol(161, "CBCharacteristic.isBroadcasted") { _ in
                let _: KeyPath<CBCharacteristic, Bool> = \.isBroadcasted
            },
            Symbol(162, "CBCharacteristic.isNotifying") { _ in
                let _: KeyPath<CBCharacteristic, Bool> = \.isNotifying
            },
        ]
    }
}

private class OpenCBCharacteristic: CBCharacteristic {
    override var service: CBService? { super.service }

    override var properties: CBCharacteristicProperties { super.properties }

    override var value: Data? { super.value }

    override var descriptors: [CBDescriptor]? { super.descriptors }

    @available(*, deprecated)
    override var isBroadcasted: Bool { super.isBroadcasted }

    override var isNotifying: Bool { super.isNotifying }
}

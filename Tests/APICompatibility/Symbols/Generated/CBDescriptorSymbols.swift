// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBDescriptorSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(190, "CBDescriptor") { _ in
                let _: CBAttribute.Type = CBDescriptor.self
                let _: CBDescriptor.Type = OpenCBDescriptor.self
            },
            Symbol(191, "CBDescriptor.characteristic") { _ in
                let _: KeyPath<CBDescriptor, CBCharacteristic?> = \.characteristic
            },
            Symbol(192, "CBDescriptor.value") { _ in
                let _: KeyPath<CBDescriptor, Any?> = \.value
            },
        ]
    }
}

private class OpenCBDescriptor: CBDescriptor {
    override var characteristic: CBCharacteristic? { super.characteristic }

    override var value: Any? { super.value }
}

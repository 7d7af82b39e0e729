// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBATTRequestSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(197, "CBATTRequest") { _ in
                let _: NSObject.Type = CBATTRequest.self
                let _: CBATTRequest.Type = OpenCBATTRequest.self
            },
            Symbol(199, "CBATTRequest.central") { _ in
                let _: KeyPath<CBATTRequest, CBCentral> = \.central
            },
            Symbol(200, "CBATTRequest.characteristic") { _ in
                let _: KeyPath<CBATTRequest, CBCharacteristic> = \.characteristic
            },
            Symbol(201, "CBATTRequest.offset") { _ in
                let _: KeyPath<CBATTRequest, Int> = \.offset
            },
            Symbol(202, "CBATTRequest.value") { _ in
                let _: ReferenceWritableKeyPath<CBATTRequest, Data?> = \.value
            },
        ]
    }
}

private class OpenCBATTRequest: CBATTRequest {
    override var central: CBCentral { super.central }

    override var characteristic: CBCharacteristic { super.characteristic }

    override var offset: Int { super.offset }

    override var value: Data? {
        get { super.value }
        set { super.value = newValue }
    }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBMutableServiceSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(152, "CBMutableService") { _ in
                let _: CBService.Type = CBMutableService.self
                let _: CBMutableService.Type = OpenCBMutableService.self
            },
            Symbol(153, "CBMutableService.init(type:primary:)") { _ in
                let _: (CBUUID, Bool) -> CBMutableService = CBMutableService.init(type:primary:)
            },
            Symbol(154, "CBMutableService.includedServices") { _ in
                let _: ReferenceWritableKeyPath<CBMutableService, [CBService]?> = \.includedServices
            },
            Symbol(155, "CBMutableService.characteristics") { _ in
                let _: ReferenceWritableKeyPath<CBMutableService, [CBCharacteristic]?> =
                    \.characteristics
            },
        ]
    }
}

private class OpenCBMutableService: CBMutableService {
    override init(type UUID: CBUUID, primary isPrimary: Bool) {
        super.init(type: UUID, primary: isPrimary)
    }

    override var includedServices: [CBService]? {
        get { super.includedServices }
        set { super.includedServices = newValue }
    }

    override var characteristics: [CBCharacteristic]? {
        get { super.characteristics }
        set { super.characteristics = newValue }
    }
}

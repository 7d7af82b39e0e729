// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBMutableDescriptorSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(193, "CBMutableDescriptor") { _ in
                let _: CBDescriptor.Type = CBMutableDescriptor.self
                let _: CBMutableDescriptor.Type = OpenCBMutableDescriptor.self
            },
            Symbol(194, "CBMutableDescriptor.init(type:value:)") { _ in
                let _: (CBUUID, Any?) -> CBMutableDescriptor = CBMutableDescriptor.init(type:value:)
            },
        ]
    }
}

private class OpenCBMutableDescriptor: CBMutableDescriptor {
    override init(type UUID: CBUUID, value: Any?) {
        super.init(type: UUID, value: value)
    }
}

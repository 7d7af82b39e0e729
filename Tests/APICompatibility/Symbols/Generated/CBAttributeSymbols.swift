// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBAttributeSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(144, "CBAttribute") { _ in
                let _: NSObject.Type = CBAttribute.self
                let _: CBAttribute.Type = OpenCBAttribute.self
            },
            Symbol(146, "CBAttribute.uuid") { _ in
                let _: KeyPath<CBAttribute, CBUUID> = \.uuid
            },
        ]
    }
}

private class OpenCBAttribute: CBAttribute {
    override var uuid: CBUUID { super.uuid }
}

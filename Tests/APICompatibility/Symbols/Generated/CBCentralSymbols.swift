// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCentralSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(195, "CBCentral") { _ in
                let _: CBPeer.Type = CBCentral.self
                let _: CBCentral.Type = OpenCBCentral.self
            },
            Symbol(196, "CBCentral.maximumUpdateValueLength") { _ in
                let _: KeyPath<CBCentral, Int> = \.maximumUpdateValueLength
            },
        ]
    }
}

private class OpenCBCentral: CBCentral {
    override var maximumUpdateValueLength: Int { super.maximumUpdateValueLength }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBManagerSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(2, "CBManager") { _ in
                let _: NSObject.Type = CBManager.self
                let _: CBManager.Type = OpenCBManager.self
            },
            Symbol(4, "CBManager.state") { _ in
                let _: KeyPath<CBManager, CBManagerState> = \.state
            },
            Symbol(5, "CBManager.authorization (type)") { _ in
                var value = CBManager.authorization
                exactly(&value, CBManagerAuthorization.self)
            },
            Symbol(6, "CBManager.authorization (instance)") { _ in
                let _: KeyPath<CBManager, CBManagerAuthorization> = \.authorization
            },
        ]
    }
}

private class OpenCBManager: CBManager {
    override var state: CBManagerState { super.state }

    override class var authorization: CBManagerAuthorization { super.authorization }

    @available(*, deprecated)
    override var authorization: CBManagerAuthorization { super.authorization }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBManagerStateSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(7, "CBManagerState") { check in
                check.isOpenEnumeration(CBManagerState.self)
                switch CBManagerState(rawValue: 0) {
                case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn:
                    break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(8, "CBManagerState.unknown") { check in
                var value = CBManagerState.unknown
                exactly(&value, CBManagerState.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(9, "CBManagerState.resetting") { check in
                var value = CBManagerState.resetting
                exactly(&value, CBManagerState.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(10, "CBManagerState.unsupported") { check in
                var value = CBManagerState.unsupported
                exactly(&value, CBManagerState.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(11, "CBManagerState.unauthorized") { check in
                var value = CBManagerState.unauthorized
                exactly(&value, CBManagerState.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(12, "CBManagerState.poweredOff") { check in
                var value = CBManagerState.poweredOff
                exactly(&value, CBManagerState.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(13, "CBManagerState.poweredOn") { check in
                var value = CBManagerState.poweredOn
                exactly(&value, CBManagerState.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(14, "CBManagerState.init(rawValue:)") { check in
                let _: (Int) -> CBManagerState? = CBManagerState.init(rawValue:)
                check.equal(CBManagerState(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCentralManagerStateSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(40, "CBCentralManagerState") { check in
                check.isOpenEnumeration(CBCentralManagerState.self)
                switch CBCentralManagerState(rawValue: 0) {
                case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn:
                    break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(41, "CBCentralManagerState.unknown") { check in
                var value = CBCentralManagerState.unknown
                exactly(&value, CBCentralManagerState.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(42, "CBCentralManagerState.resetting") { check in
                var value = CBCentralManagerState.resetting
                exactly(&value, CBCentralManagerState.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(43, "CBCentralManagerState.unsupported") { check in
                var value = CBCentralManagerState.unsupported
                exactly(&value, CBCentralManagerState.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(44, "CBCentralManagerState.unauthorized") { check in
                var value = CBCentralManagerState.unauthorized
                exactly(&value, CBCentralManagerState.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(45, "CBCentralManagerState.poweredOff") { check in
                var value = CBCentralManagerState.poweredOff
                exactly(&value, CBCentralManagerState.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(46, "CBCentralManagerState.poweredOn") { check in
                var value = CBCentralManagerState.poweredOn
                exactly(&value, CBCentralManagerState.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(47, "CBCentralManagerState.init(rawValue:)") { check in
                let _: (Int) -> CBCentralManagerState? = CBCentralManagerState.init(rawValue:)
                check.equal(CBCentralManagerState(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

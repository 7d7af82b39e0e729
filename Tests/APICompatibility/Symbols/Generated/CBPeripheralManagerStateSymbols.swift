// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralManagerStateSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(231, "CBPeripheralManagerState") { check in
                check.isOpenEnumeration(CBPeripheralManagerState.self)
                switch CBPeripheralManagerState(rawValue: 0) {
                case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn:
                    break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(232, "CBPeripheralManagerState.unknown") { check in
                var value = CBPeripheralManagerState.unknown
                exactly(&value, CBPeripheralManagerState.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(233, "CBPeripheralManagerState.resetting") { check in
                var value = CBPeripheralManagerState.resetting
                exactly(&value, CBPeripheralManagerState.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(234, "CBPeripheralManagerState.unsupported") { check in
                var value = CBPeripheralManagerState.unsupported
                exactly(&value, CBPeripheralManagerState.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(235, "CBPeripheralManagerState.unauthorized") { check in
                var value = CBPeripheralManagerState.unauthorized
                exactly(&value, CBPeripheralManagerState.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(236, "CBPeripheralManagerState.poweredOff") { check in
                var value = CBPeripheralManagerState.poweredOff
                exactly(&value, CBPeripheralManagerState.self)
                check.equal(value.rawValue, 4)
            },
            Symbol(237, "CBPeripheralManagerState.poweredOn") { check in
                var value = CBPeripheralManagerState.poweredOn
                exactly(&value, CBPeripheralManagerState.self)
                check.equal(value.rawValue, 5)
            },
            Symbol(238, "CBPeripheralManagerState.init(rawValue:)") { check in
                let _: (Int) -> CBPeripheralManagerState? = CBPeripheralManagerState.init(rawValue:)
                check.equal(CBPeripheralManagerState(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

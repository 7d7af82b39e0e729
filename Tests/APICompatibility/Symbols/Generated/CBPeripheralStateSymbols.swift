// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralStateSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(116, "CBPeripheralState") { check in
                check.isOpenEnumeration(CBPeripheralState.self)
                switch CBPeripheralState(rawValue: 0) {
                case .disconnected, .connecting, .connected, .disconnecting: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(117, "CBPeripheralState.disconnected") { check in
                var value = CBPeripheralState.disconnected
                exactly(&value, CBPeripheralState.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(118, "CBPeripheralState.connecting") { check in
                var value = CBPeripheralState.connecting
                exactly(&value, CBPeripheralState.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(119, "CBPeripheralState.connected") { check in
                var value = CBPeripheralState.connected
                exactly(&value, CBPeripheralState.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(120, "CBPeripheralState.disconnecting") { check in
                var value = CBPeripheralState.disconnecting
                exactly(&value, CBPeripheralState.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(121, "CBPeripheralState.init(rawValue:)") { check in
                let _: (Int) -> CBPeripheralState? = CBPeripheralState.init(rawValue:)
                check.equal(CBPeripheralState(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

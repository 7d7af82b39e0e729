// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralManagerAuthorizationStatusSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(225, "CBPeripheralManagerAuthorizationStatus") { check in
                check.isOpenEnumeration(CBPeripheralManagerAuthorizationStatus.self)
                switch CBPeripheralManagerAuthorizationStatus(rawValue: 0) {
                case .notDetermined, .restricted, .denied, .authorized: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(226, "CBPeripheralManagerAuthorizationStatus.notDetermined") { check in
                var value = CBPeripheralManagerAuthorizationStatus.notDetermined
                exactly(&value, CBPeripheralManagerAuthorizationStatus.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(227, "CBPeripheralManagerAuthorizationStatus.restricted") { check in
                var value = CBPeripheralManagerAuthorizationStatus.restricted
                exactly(&value, CBPeripheralManagerAuthorizationStatus.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(228, "CBPeripheralManagerAuthorizationStatus.denied") { check in
                var value = CBPeripheralManagerAuthorizationStatus.denied
                exactly(&value, CBPeripheralManagerAuthorizationStatus.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(229, "CBPeripheralManagerAuthorizationStatus.authorized") { check in
                var value = CBPeripheralManagerAuthorizationStatus.authorized
                exactly(&value, CBPeripheralManagerAuthorizationStatus.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(230, "CBPeripheralManagerAuthorizationStatus.init(rawValue:)") { check in
                let _: (Int) -> CBPeripheralManagerAuthorizationStatus? =
                    CBPeripheralManagerAuthorizationStatus.init(rawValue:)
                check.equal(CBPeripheralManagerAuthorizationStatus(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

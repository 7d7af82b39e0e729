// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBManagerAuthorizationSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(15, "CBManagerAuthorization") { check in
                check.isOpenEnumeration(CBManagerAuthorization.self)
                switch CBManagerAuthorization(rawValue: 0) {
                case .notDetermined, .restricted, .denied, .allowedAlways: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(16, "CBManagerAuthorization.notDetermined") { check in
                var value = CBManagerAuthorization.notDetermined
                exactly(&value, CBManagerAuthorization.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(17, "CBManagerAuthorization.restricted") { check in
                var value = CBManagerAuthorization.restricted
                exactly(&value, CBManagerAuthorization.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(18, "CBManagerAuthorization.denied") { check in
                var value = CBManagerAuthorization.denied
                exactly(&value, CBManagerAuthorization.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(19, "CBManagerAuthorization.allowedAlways") { check in
                var value = CBManagerAuthorization.allowedAlways
                exactly(&value, CBManagerAuthorization.self)
                check.equal(value.rawValue, 3)
            },
            Symbol(20, "CBManagerAuthorization.init(rawValue:)") { check in
                let _: (Int) -> CBManagerAuthorization? = CBManagerAuthorization.init(rawValue:)
                check.equal(CBManagerAuthorization(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBConnectionEventSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(48, "CBConnectionEvent") { check in
                check.isOpenEnumeration(CBConnectionEvent.self)
                switch CBConnectionEvent(rawValue: 0) {
                case .peerDisconnected, .peerConnected: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(49, "CBConnectionEvent.peerDisconnected") { check in
                var value = CBConnectionEvent.peerDisconnected
                exactly(&value, CBConnectionEvent.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(50, "CBConnectionEvent.peerConnected") { check in
                var value = CBConnectionEvent.peerConnected
                exactly(&value, CBConnectionEvent.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(51, "CBConnectionEvent.init(rawValue:)") { check in
                let _: (Int) -> CBConnectionEvent? = CBConnectionEvent.init(rawValue:)
                check.equal(CBConnectionEvent(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

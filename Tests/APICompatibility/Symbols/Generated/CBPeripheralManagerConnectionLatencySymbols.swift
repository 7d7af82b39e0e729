// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralManagerConnectionLatencySymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(220, "CBPeripheralManagerConnectionLatency") { check in
                check.isOpenEnumeration(CBPeripheralManagerConnectionLatency.self)
                switch CBPeripheralManagerConnectionLatency(rawValue: 0) {
                case .low, .medium, .high: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(221, "CBPeripheralManagerConnectionLatency.low") { check in
                var value = CBPeripheralManagerConnectionLatency.low
                exactly(&value, CBPeripheralManagerConnectionLatency.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(222, "CBPeripheralManagerConnectionLatency.medium") { check in
                var value = CBPeripheralManagerConnectionLatency.medium
                exactly(&value, CBPeripheralManagerConnectionLatency.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(223, "CBPeripheralManagerConnectionLatency.high") { check in
                var value = CBPeripheralManagerConnectionLatency.high
                exactly(&value, CBPeripheralManagerConnectionLatency.self)
                check.equal(value.rawValue, 2)
            },
            Symbol(224, "CBPeripheralManagerConnectionLatency.init(rawValue:)") { check in
                let _: (Int) -> CBPeripheralManagerConnectionLatency? =
                    CBPeripheralManagerConnectionLatency.init(rawValue:)
                check.equal(CBPeripheralManagerConnectionLatency(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

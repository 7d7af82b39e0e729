// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCharacteristicWriteTypeSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(122, "CBCharacteristicWriteType") { check in
                check.isOpenEnumeration(CBCharacteristicWriteType.self)
                switch CBCharacteristicWriteType(rawValue: 0) {
                case .withResponse, .withoutResponse: break
                case nil: break
                @unknown default: break
                }
            },
            Symbol(123, "CBCharacteristicWriteType.withResponse") { check in
                var value = CBCharacteristicWriteType.withResponse
                exactly(&value, CBCharacteristicWriteType.self)
                check.equal(value.rawValue, 0)
            },
            Symbol(124, "CBCharacteristicWriteType.withoutResponse") { check in
                var value = CBCharacteristicWriteType.withoutResponse
                exactly(&value, CBCharacteristicWriteType.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(125, "CBCharacteristicWriteType.init(rawValue:)") { check in
                let _: (Int) -> CBCharacteristicWriteType? = CBCharacteristicWriteType.init(
                    rawValue:
                )
                check.equal(CBCharacteristicWriteType(rawValue: 0x80)?.rawValue, 0x80)
            },
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCharacteristicPropertiesSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(170, "CBCharacteristicProperties") { _ in
                let _: any OptionSet.Type = CBCharacteristicProperties.self
                let _: any Sendable.Type = CBCharacteristicProperties.self
            },
            Symbol(171, "CBCharacteristicProperties.init(rawValue:)") { _ in
                let _: (UInt) -> CBCharacteristicProperties = CBCharacteristicProperties.init(
                    rawValue:
                )
            },
            Symbol(172, "CBCharacteristicProperties.rawValue") { _ in
                let _: KeyPath<CBCharacteristicProperties, UInt> = \.rawValue
            },
            Symbol(173, "CBCharacteristicProperties.broadcast") { check in
                var value = CBCharacteristicProperties.broadcast
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x1)
            },
            Symbol(174, "CBCharacteristicProperties.read") { check in
                var value = CBCharacteristicProperties.read
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x2)
            },
            Symbol(175, "CBCharacteristicProperties.writeWithoutResponse") { check in
                var value = CBCharacteristicProperties.writeWithoutResponse
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x4)
            },
            Symbol(176, "CBCharacteristicProperties.write") { check in
                var value = CBCharacteristicProperties.write
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x8)
            },
            Symbol(177, "CBCharacteristicProperties.notify") { check in
                var value = CBCharacteristicProperties.notify
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x10)
            },
            Symbol(178, "CBCharacteristicProperties.indicate") { check in
                var value = CBCharacteristicProperties.indicate
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x20)
            },
            Symbol(179, "CBCharacteristicProperties.authenticatedSignedWrites") { check in
                var value = CBCharacteristicProperties.authenticatedSignedWrites
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x40)
            },
            Symbol(180, "CBCharacteristicProperties.extendedProperties") { check in
                var value = CBCharacteristicProperties.extendedProperties
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x80)
            },
            Symbol(181, "CBCharacteristicProperties.notifyEncryptionRequired") { check in
                var value = CBCharacteristicProperties.notifyEncryptionRequired
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x100)
            },
            Symbol(182, "CBCharacteristicProperties.indicateEncryptionRequired") { check in
                var value = CBCharacteristicProperties.indicateEncryptionRequired
                exactly(&value, CBCharacteristicProperties.self)
                check.equal(value.rawValue, 0x200)
            },
        ]
    }
}

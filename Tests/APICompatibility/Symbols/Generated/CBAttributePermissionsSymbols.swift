// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBAttributePermissionsSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(183, "CBAttributePermissions") { _ in
                let _: any OptionSet.Type = CBAttributePermissions.self
                let _: any Sendable.Type = CBAttributePermissions.self
            },
            Symbol(184, "CBAttributePermissions.init(rawValue:)") { _ in
                let _: (UInt) -> CBAttributePermissions = CBAttributePermissions.init(rawValue:)
            },
            Symbol(185, "CBAttributePermissions.rawValue") { _ in
                let _: KeyPath<CBAttributePermissions, UInt> = \.rawValue
            },
            Symbol(186, "CBAttributePermissions.readable") { check in
                var value = CBAttributePermissions.readable
                exactly(&value, CBAttributePermissions.self)
                check.equal(value.rawValue, 0x1)
            },
            Symbol(187, "CBAttributePermissions.writeable") { check in
                var value = CBAttributePermissions.writeable
                exactly(&value, CBAttributePermissions.self)
                check.equal(value.rawValue, 0x2)
            },
            Symbol(188, "CBAttributePermissions.readEncryptionRequired") { check in
                var value = CBAttributePermissions.readEncryptionRequired
                exactly(&value, CBAttributePermissions.self)
                check.equal(value.rawValue, 0x4)
            },
            Symbol(189, "CBAttributePermissions.writeEncryptionRequired") { check in
                var value = CBAttributePermissions.writeEncryptionRequired
                exactly(&value, CBAttributePermissions.self)
                check.equal(value.rawValue, 0x8)
            },
        ]
    }
}

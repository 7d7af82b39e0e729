// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBConnectionEventMatchingOptionSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(52, "CBConnectionEventMatchingOption") { _ in
                let _: any Hashable.Type = CBConnectionEventMatchingOption.self
                let _: any Equatable.Type = CBConnectionEventMatchingOption.self
                let _: any RawRepresentable.Type = CBConnectionEventMatchingOption.self
                let _: any Sendable.Type = CBConnectionEventMatchingOption.self
            },
            Symbol(53, "CBConnectionEventMatchingOption.init(rawValue:)") { _ in
                let _: (String) -> CBConnectionEventMatchingOption = CBConnectionEventMatchingOption
                    .init(rawValue:)
            },
            Symbol(54, "CBConnectionEventMatchingOption.rawValue") { _ in
                let _: WritableKeyPath<CBConnectionEventMatchingOption, String> = \.rawValue
            },
            Symbol(55, "CBConnectionEventMatchingOption.serviceUUIDs") { check in
                var value = CBConnectionEventMatchingOption.serviceUUIDs
                exactly(&value, CBConnectionEventMatchingOption.self)
                check.equal(value.rawValue, "kCBConnectionEventMatchingOptionServiceUUIDs")
            },
            Symbol(56, "CBConnectionEventMatchingOption.peripheralUUIDs") { check in
                var value = CBConnectionEventMatchingOption.peripheralUUIDs
                exactly(&value, CBConnectionEventMatchingOption.self)
                check.equal(value.rawValue, "kCBConnectionEventMatchingOptionPeripheralUUIDs")
            },
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCentralManagerFeatureSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(35, "CBCentralManager.Feature") { _ in
                let _: any OptionSet.Type = CBCentralManager.Feature.self
                let _: any Sendable.Type = CBCentralManager.Feature.self
            },
            Symbol(36, "CBCentralManager.Feature.init(rawValue:)") { _ in
                let _: (UInt) -> CBCentralManager.Feature = CBCentralManager.Feature.init(rawValue:)
            },
            Symbol(37, "CBCentralManager.Feature.rawValue") { _ in
                let _: KeyPath<CBCentralManager.Feature, UInt> = \.rawValue
            },
            Symbol(38, "CBCentralManager.Feature.extendedScanAndConnect") { check in
                var value = CBCentralManager.Feature.extendedScanAndConnect
                exactly(&value, CBCentralManager.Feature.self)
                check.equal(value.rawValue, 1)
            },
            Symbol(39, "CBCentralManager.Feature.channelSounding") { check in
                var value = CBCentralManager.Feature.channelSounding
                exactly(&value, CBCentralManager.Feature.self)
                check.equal(value.rawValue, 1024)
            },
        ]
    }
}

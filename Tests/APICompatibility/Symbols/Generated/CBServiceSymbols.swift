// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBServiceSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(147, "CBService") { _ in
                let _: CBAttribute.Type = CBService.self
                let _: CBService.Type = OpenCBService.self
            },
            Symbol(148, "CBService.peripheral") { _ in
                let _: KeyPath<CBService, CBPeripheral?> = \.peripheral
            },
            Symbol(149, "CBService.isPrimary") { _ in
                let _: KeyPath<CBService, Bool> = \.isPrimary
            },
            Symbol(150, "CBService.includedServices") { _ in
                let _: KeyPath<CBService, [CBService]?> = \.includedServices
            },
            Symbol(151, "CBService.characteristics") { _ in
                let _: KeyPath<CBService, [CBCharacteristic]?> = \.characteristics
            },
        ]
    }
}

private class OpenCBService: CBService {
    override var peripheral: CBPeripheral? { super.peripheral }

    override var isPrimary: Bool { super.isPrimary }

    override var includedServices: [CBService]? { super.includedServices }

    override var characteristics: [CBCharacteristic]? { super.characteristics }
}

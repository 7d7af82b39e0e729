// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCentralManagerSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(21, "CBCentralManager") { _ in
                let _: CBManager.Type = CBCentralManager.self
                let _: CBCentralManager.Type = OpenCBCentralManager.self
            },
            Symbol(22, "CBCentralManager.init()") { _ in
                let _: () -> CBCentralManager = CBCentralManager.init
            },
            Symbol(23, "CBCentralManager.init(delegate:queue:)") { _ in
                let _: ((any CBCentralManagerDelegate)?, dispatch_queue_t?) -> CBCentralManager =
                    CBCentralManager.init(delegate:queue:)
            },
            Symbol(24, "CBCentralManager.init(delegate:queue:options:)") { _ in
                let _:
                    ((any CBCentralManagerDelegate)?, dispatch_queue_t?, [String: Any]?) ->
                        CBCentralManager = CBCentralManager.init(delegate:queue:options:)
                let _: ((any CBCentralManagerDelegate)?, dispatch_queue_t?) -> CBCentralManager = {
                    CBCentralManager(delegate: $0, queue: $1)
                }
            },
            Symbol(25, "CBCentralManager.delegate") { _ in
                let _: ReferenceWritableKeyPath<CBCentralManager, (any CBCentralManagerDelegate)?> =
                    \.delegate
            },
            Symbol(26, "CBCentralManager.isScanning") { _ in
                let _: KeyPath<CBCentralManager, Bool> = \.isScanning
            },
            Symbol(27, "CBCentralManager.supports(_:)") { _ in
                let _: (CBCentralManager.Feature) -> Bool = CBCentralManager.supports(_:)
            },
            Symbol(28, "CBCentralManager.retrievePeripherals(withIdentifiers:)") { _ in
                let _: (CBCentralManager) -> ([UUID]) -> [CBPeripheral] = CBCentralManager
                    .retrievePeripherals(withIdentifiers:)
            },
            Symbol(29, "CBCentralManager.retrieveConnectedPeripherals(withServices:)") { _ in
                let _: (CBCentralManager) -> ([CBUUID]) -> [CBPeripheral] = CBCentralManager
                    .retrieveConnectedPeripherals(withServices:)
            },
            Symbol(30, "CBCentralManager.scanForPeripherals(withServices:options:)") { _ in
                let _: (CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void = CBCentralManager
                    .scanForPeripherals(withServices:options:)
                let _: (CBCentralManager, [CBUUID]?) -> Void = {
                    $0.scanForPeripherals(withServices: $1)
                }
            },
            Symbol(31, "CBCentralManager.stopScan()") { _ in
                let _: (CBCentralManager) -> () -> Void = CBCentralManager.stopScan
            },
            Symbol(32, "CBCentralManager.connect(_:options:)") { _ in
                let _: (CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void =
                    CBCentralManager.connect(_:options:)
                let _: (CBCentralManager, CBPeripheral) -> Void = { $0.connect($1) }
            },
            Symbol(33, "CBCentralManager.cancelPeripheralConnection(_:)") { _ in
                let _: (CBCentralManager) -> (CBPeripheral) -> Void = CBCentralManager
                    .cancelPeripheralConnection(_:)
            },
            Symbol(34, "CBCentralManager.registerForConnectionEvents(options:)") { _ in
                let _: (CBCentralManager) -> ([CBConnectionEventMatchingOption: Any]?) -> Void =
                    CBCentralManager.registerForConnectionEvents(options:)
                let _: (CBCentralManager) -> Void = { $0.registerForConnectionEvents() }
            },
        ]
    }
}

private class OpenCBCentralManager: CBCentralManager {
    override init(
        delegate: (any CBCentralManagerDelegate)?,
        queue: dispatch_queue_t?,
        options: [String: Any]? = nil
    ) {
        super.init(delegate: delegate, queue: queue, options: options)
    }

    override var delegate: (any CBCentralManagerDelegate)? {
        get { super.delegate }
        set { super.delegate = newValue }
    }

    override var isScanning: Bool { super.isScanning }

    override class func supports(_ features: CBCentralManager.Feature) -> Bool {
        super.supports(features)
    }

    override func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
        super.retrievePeripherals(withIdentifiers: identifiers)
    }

    override func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID])
        -> [CBPeripheral]
    {
        super.retrieveConnectedPeripherals(withServices: serviceUUIDs)
    }

    override func scanForPeripherals(
        withServices serviceUUIDs: [CBUUID]?,
        options: [String: Any]? = nil
    ) {
        super.scanForPeripherals(withServices: serviceUUIDs, options: options)
    }

    override func stopScan() {
        super.stopScan()
    }

    override func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
        super.connect(peripheral, options: options)
    }

    override func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
        super.cancelPeripheralConnection(peripheral)
    }

    override func registerForConnectionEvents(
        options: [CBConnectionEventMatchingOption: Any]? = nil
    ) {
        super.registerForConnectionEvents(options: options)
    }
}

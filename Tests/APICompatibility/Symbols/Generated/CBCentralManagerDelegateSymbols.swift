// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBCentralManagerDelegateSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(57, "CBCentralManagerDelegate") { _ in
                let _: (any CBCentralManagerDelegate) -> any NSObjectProtocol = { $0 }
                let _: any CBCentralManagerDelegate.Type = LeastCBCentralManagerDelegate.self
            },
            Symbol(58, "CBCentralManagerDelegate.centralManagerDidUpdateState(_:)") { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(59, "CBCentralManagerDelegate.centralManager(_:willRestoreState:)") { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(
                60,
                "CBCentralManagerDelegate.centralManager(_:didDiscover:advertisementData:rssi:)"
            ) { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(61, "CBCentralManagerDelegate.centralManager(_:didConnect:)") { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(62, "CBCentralManagerDelegate.centralManager(_:didFailToConnect:error:)") { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(63, "CBCentralManagerDelegate.centralManager(_:didDisconnectPeripheral:error:)")
            { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(
                64,
                "CBCentralManagerDelegate.centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)"
            ) { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(65, "CBCentralManagerDelegate.centralManager(_:connectionEventDidOccur:for:)") {
                _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
            Symbol(66, "CBCentralManagerDelegate.centralManager(_:didUpdateANCSAuthorizationFor:)")
            { _ in
                let _: any CBCentralManagerDelegate.Type = AllCBCentralManagerDelegate.self
            },
        ]
    }
}

private protocol RefinedCBCentralManagerDelegate: CBCentralManagerDelegate {
    override func centralManagerDidUpdateState(_ central: CBCentralManager)
    override func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])
    override func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )
    override func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
    override func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    )
    override func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    )
    override func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    )
    override func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    )
    override func centralManager(
        _ central: CBCentralManager,
        didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    )
}

private final class AllCBCentralManagerDelegate: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {}
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {}
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {}
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {}
    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    ) {}
    func centralManager(
        _ central: CBCentralManager,
        didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    ) {}
}

private final class LeastCBCentralManagerDelegate: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

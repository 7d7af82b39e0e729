// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralManagerDelegateSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(239, "CBPeripheralManagerDelegate") { _ in
                let _: (any CBPeripheralManagerDelegate) -> any NSObjectProtocol = { $0 }
                let _: any CBPeripheralManagerDelegate.Type = LeastCBPeripheralManagerDelegate.self
            },
            Symbol(240, "CBPeripheralManagerDelegate.peripheralManagerDidUpdateState(_:)") { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(241, "CBPeripheralManagerDelegate.peripheralManager(_:willRestoreState:)") { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(
                242,
                "CBPeripheralManagerDelegate.peripheralManagerDidStartAdvertising(_:error:)"
            ) { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(243, "CBPeripheralManagerDelegate.peripheralManager(_:didAdd:error:)") { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(244, "CBPeripheralManagerDelegate.peripheralManager(_:central:didSubscribeTo:)")
            { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(
                245,
                "CBPeripheralManagerDelegate.peripheralManager(_:central:didUnsubscribeFrom:)"
            ) { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(246, "CBPeripheralManagerDelegate.peripheralManager(_:didReceiveRead:)") { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(247, "CBPeripheralManagerDelegate.peripheralManager(_:didReceiveWrite:)") { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(
                248,
                "CBPeripheralManagerDelegate.peripheralManagerIsReady(toUpdateSubscribers:)"
            ) { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(
                249,
                "CBPeripheralManagerDelegate.peripheralManager(_:didPublishL2CAPChannel:error:)"
            ) { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(
                250,
                "CBPeripheralManagerDelegate.peripheralManager(_:didUnpublishL2CAPChannel:error:)"
            ) { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
            Symbol(251, "CBPeripheralManagerDelegate.peripheralManager(_:didOpen:error:)") { _ in
                let _: any CBPeripheralManagerDelegate.Type = AllCBPeripheralManagerDelegate.self
            },
        ]
    }
}

private protocol RefinedCBPeripheralManagerDelegate: CBPeripheralManagerDelegate {
    override func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        willRestoreState dict: [String: Any]
    )
    override func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveRead request: CBATTRequest
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    )
    override func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )
    override func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    )
}

private final class AllCBPeripheralManagerDelegate: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
    {}
    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {}
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
    {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {}
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {}
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {}
}

private final class LeastCBPeripheralManagerDelegate: NSObject, CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
}

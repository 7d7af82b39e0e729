// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralDelegateSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(126, "CBPeripheralDelegate") { _ in
                let _: (any CBPeripheralDelegate) -> any NSObjectProtocol = { $0 }
                let _: any CBPeripheralDelegate.Type = LeastCBPeripheralDelegate.self
            },
            Symbol(127, "CBPeripheralDelegate.peripheralDidUpdateName(_:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(128, "CBPeripheralDelegate.peripheral(_:didModifyServices:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(129, "CBPeripheralDelegate.peripheralDidUpdateRSSI(_:error:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(130, "CBPeripheralDelegate.peripheral(_:didReadRSSI:error:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(131, "CBPeripheralDelegate.peripheral(_:didDiscoverServices:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(132, "CBPeripheralDelegate.peripheral(_:didDiscoverIncludedServicesFor:error:)")
            { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(133, "CBPeripheralDelegate.peripheral(_:didDiscoverCharacteristicsFor:error:)") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(
                134,
                "CBPeripheralDelegate.peripheral(_:didUpdateValueFor:error:) characteristic"
            ) { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(135, "CBPeripheralDelegate.peripheral(_:didWriteValueFor:error:) characteristic")
            { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(136, "CBPeripheralDelegate.peripheral(_:didUpdateNotificationStateFor:error:)") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(137, "CBPeripheralDelegate.peripheral(_:didDiscoverDescriptorsFor:error:)") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(138, "CBPeripheralDelegate.peripheral(_:didUpdateValueFor:error:) descriptor") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(139, "CBPeripheralDelegate.peripheral(_:didWriteValueFor:error:) descriptor") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(140, "CBPeripheralDelegate.peripheralIsReady(toSendWriteWithoutResponse:)") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(141, "CBPeripheralDelegate.peripheral(_:didOpen:error:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(142, "CBPeripheralDelegate.peripheral(_:didReceive:error:)") { _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
            Symbol(143, "CBPeripheralDelegate.peripheral(_:didCompleteChannelSoundingSession:)") {
                _ in
                let _: any CBPeripheralDelegate.Type = AllCBPeripheralDelegate.self
            },
        ]
    }
}

private protocol RefinedCBPeripheralDelegate: CBPeripheralDelegate {
    override func peripheralDidUpdateName(_ peripheral: CBPeripheral)
    override func peripheral(
        _ peripheral: CBPeripheral,
        didModifyServices invalidatedServices: [CBService]
    )
    @available(*, deprecated)
    override func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)
    override func peripheral(
        _ peripheral: CBPeripheral,
        didReadRSSI RSSI: NSNumber,
        error: (any Error)?
    )
    override func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)
    override func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor descriptor: CBDescriptor,
        error: (any Error)?
    )
    override func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
    override func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didReceive results: CBChannelSoundingProcedureResults?,
        error: (any Error)?
    )
    override func peripheral(
        _ peripheral: CBPeripheral,
        didCompleteChannelSoundingSession error: (any Error)?
    )
}

private final class AllCBPeripheralDelegate: NSObject, CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
    {}
    @available(*, deprecated)
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {}
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didReceive results: CBChannelSoundingProcedureResults?,
        error: (any Error)?
    ) {}
    func peripheral(
        _ peripheral: CBPeripheral,
        didCompleteChannelSoundingSession error: (any Error)?
    ) {}
}

private final class LeastCBPeripheralDelegate: NSObject, CBPeripheralDelegate {

}

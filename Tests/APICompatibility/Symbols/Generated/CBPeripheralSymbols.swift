// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBPeripheralSymbols: SymbolList {
    @available(*, deprecated)
    var symbols: [Symbol] {
        [
            Symbol(94, "CBPeripheral") { _ in
                let _: CBPeer.Type = CBPeripheral.self
                let _: CBPeripheral.Type = OpenCBPeripheral.self
            },
            Symbol(95, "CBPeripheral.delegate") { _ in
                let _: ReferenceWritableKeyPath<CBPeripheral, (any CBPeripheralDelegate)?> =
                    \.delegate
            },
            Symbol(96, "CBPeripheral.name") { _ in
                let _: KeyPath<CBPeripheral, String?> = \.name
            },
            Symbol(97, "CBPeripheral.rssi") { _ in
                let _: KeyPath<CBPeripheral, NSNumber?> = \.rssi
            },
            Symbol(98, "CBPeripheral.state") { _ in
                let _: KeyPath<CBPeripheral, CBPeripheralState> = \.state
            },
            Symbol(99, "CBPeripheral.services") { _ in
                let _: KeyPath<CBPeripheral, [CBService]?> = \.services
            },
            Symbol(100, "CBPeripheral.canSendWriteWithoutResponse") { _ in
                let _: KeyPath<CBPeripheral, Bool> = \.canSendWriteWithoutResponse
            },
            Symbol(101, "CBPeripheral.ancsAuthorized") { _ in
                let _: KeyPath<CBPeripheral, Bool> = \.ancsAuthorized
            },
            Symbol(102, "CBPeripheral.readRSSI()") { _ in
                let _: (CBPeripheral) -> () -> Void = CBPeripheral.readRSSI
            },
            Symbol(103, "CBPeripheral.discoverServices(_:)") { _ in
                let _: (CBPeripheral) -> ([CBUUID]?) -> Void = CBPeripheral.discoverServices(_:)
            },
            Symbol(104, "CBPeripheral.discoverIncludedServices(_:for:)") { _ in
                let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral
                    .discoverIncludedServices(_:for:)
            },
            Symbol(105, "CBPeripheral.discoverCharacteristics(_:for:)") { _ in
                let _: (CBPeripheral) -> ([CBUUID]?, CBService) -> Void = CBPeripheral
                    .discoverCharacteristics(_:for:)
            },
            Symbol(106, "CBPeripheral.readValue(for:) characteristic") { _ in
                let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral.readValue(for:)
            },
            Symbol(107, "CBPeripheral.maximumWriteValueLength(for:)") { _ in
                let _: (CBPeripheral) -> (CBCharacteristicWriteType) -> Int = CBPeripheral
                    .maximumWriteValueLength(for:)
            },
            Symbol(108, "CBPeripheral.writeValue(_:for:type:)") { _ in
                let _:
                    (CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void =
                        CBPeripheral.writeValue(_:for:type:)
            },
            Symbol(109, "CBPeripheral.setNotifyValue(_:for:)") { _ in
                let _: (CBPeripheral) -> (Bool, CBCharacteristic) -> Void = CBPeripheral
                    .setNotifyValue(_:for:)
            },
            Symbol(110, "CBPeripheral.discoverDescriptors(for:)") { _ in
                let _: (CBPeripheral) -> (CBCharacteristic) -> Void = CBPeripheral
                    .discoverDescriptors(for:)
            },
            Symbol(111, "CBPeripheral.readValue(for:) descriptor") { _ in
                let _: (CBPeripheral) -> (CBDescriptor) -> Void = CBPeripheral.readValue(for:)
            },
            Symbol(112, "CBPeripheral.writeValue(_:for:) descriptor") { _ in
                let _: (CBPeripheral) -> (Data, CBDescriptor) -> Void = CBPeripheral.writeValue(
                    _:
                    for:
                )
            },
            Symbol(113, "CBPeripheral.openL2CAPChannel(_:)") { _ in
                let _: (CBPeripheral) -> (CBL2CAPPSM) -> Void = CBPeripheral.openL2CAPChannel(_:)
            },
            Symbol(114, "CBPeripheral.startChannelSoundingSession(_:)") { _ in
                let _: (CBPeripheral) -> (CBChannelSoundingSessionConfiguration) -> Void =
                    CBPeripheral.startChannelSoundingSession(_:)
            },
            Symbol(115, "CBPeripheral.cancelChannelSoundingSession()") { _ in
                let _: (CBPeripheral) -> () -> Void = CBPeripheral.cancelChannelSoundingSession
            },
        ]
    }
}

private class OpenCBPeripheral: CBPeripheral {
    override var delegate: (any CBPeripheralDelegate)? {
        get { super.delegate }
        set { super.delegate = newValue }
    }

    override var name: String? { super.name }

    @available(*, deprecated)
    override var rssi: NSNumber? { super.rssi }

    override var state: CBPeripheralState { super.state }

    override var services: [CBService]? { super.services }

    override var canSendWriteWithoutResponse: Bool { super.canSendWriteWithoutResponse }

    override var ancsAuthorized: Bool { super.ancsAuthorized }

    override func readRSSI() {
        super.readRSSI()
    }

    override func discoverServices(_ serviceUUIDs: [CBUUID]?) {
        super.discoverServices(serviceUUIDs)
    }

    override func discoverIncludedServices(
        _ includedServiceUUIDs: [CBUUID]?,
        for service: CBService
    ) {
        super.discoverIncludedServices(includedServiceUUIDs, for: service)
    }

    override func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService)
    {
        super.discoverCharacteristics(characteristicUUIDs, for: service)
    }

    override func readValue(for characteristic: CBCharacteristic) {
        super.readValue(for: characteristic)
    }

    override func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
        super.maximumWriteValueLength(for: type)
    }

    override func writeValue(
        _ data: Data,
        for characteristic: CBCharacteristic,
        type: CBCharacteristicWriteType
    ) {
        super.writeValue(data, for: characteristic, type: type)
    }

    override func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
        super.setNotifyValue(enabled, for: characteristic)
    }

    override func discoverDescriptors(for characteristic: CBCharacteristic) {
        super.discoverDescriptors(for: characteristic)
    }

    override func readValue(for descriptor: CBDescriptor) {
        super.readValue(for: descriptor)
    }

    override func writeValue(_ data: Data, for descriptor: CBDescriptor) {
        super.writeValue(data, for: descriptor)
    }

    override func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
        super.openL2CAPChannel(PSM)
    }

    override func startChannelSoundingSession(
        _ configuration: CBChannelSoundingSessionConfiguration
    ) {
        super.startChannelSoundingSession(configuration)
    }

    override func cancelChannelSoundingSession() {
        super.cancelChannelSoundingSession()
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Callbacks of the peripheral, as events.
extension CoreBluetoothPeripheral: CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        owner?.name = peripheral.name
        post(.nameChanged)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didModifyServices invalidatedServices: [CBService]
    ) {
        updateTable()
        post(.servicesModified(Set(invalidatedServices.map { BluetoothID($0.uuid) })))
    }

    // MARK: Discovery

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        updateTable()
        post(.servicesDiscovered, error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        discovered(of: service, error) { .characteristicsDiscovered(of: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        discovered(of: service, error) { .includedServicesDiscovered(of: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        discovered(of: characteristic, error) { .descriptorsDiscovered(of: $0) }
    }

    private func discovered(
        of object: CBAttribute,
        _ error: (any Error)?,
        _ event: (SystemAttribute) -> SystemPeripheralEvent
    ) {
        updateTable()
        post(about: object, error, event)
    }

    private func post(
        about object: CBAttribute,
        _ error: (any Error)?,
        _ event: (SystemAttribute) -> SystemPeripheralEvent
    ) {
        guard let attribute = attribute(object) else { return }
        post(event(attribute), error)
    }

    // MARK: Values

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {
        let content = DescriptorContent(descriptor.value)
        post(about: descriptor, error) { .descriptorRead(content, of: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        updateTable()
        post(about: characteristic, error) { .subscriptionChanged($0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let value = characteristic.value ?? Data()
        post(about: characteristic, error) { .value(value, of: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        post(about: characteristic, error) { .written($0) }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        post(.hasRoom)
    }

    // MARK: The link

    func peripheral(
        _ peripheral: CBPeripheral,
        didReadRSSI RSSI: NSNumber,
        error: (any Error)?
    ) {
        post(.signal(RSSI.intValue), error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        post(.channelOpened(channel.flatMap { SystemChannel($0) }), error)
    }
}

extension DescriptorContent {
    /// Converts the value of a `CBDescriptor`.
    init(_ value: Any?) {
        switch value {
        case let text as String: self = .text(text)
        case let number as NSNumber: self = .number(number.intValue)
        case let bytes as Data: self = .bytes(bytes)
        default: self = .bytes(Data())
        }
    }
}

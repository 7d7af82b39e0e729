// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Callbacks of the peripherals.

extension CentralDriver: CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        entry(of: peripheral)?.snapshot.setName(peripheral.name)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didModifyServices invalidatedServices: [CBService]
    ) {
        let identifiers = Set(invalidatedServices.map { BluetoothID($0.uuid) })
        callback(peripheral, "didModifyServices", detail: "\(identifiers)") { entry in
            feed(.link(peripheral, .servicesModified(identifiers)), to: entry)
            failRequests(of: entry, about: identifiers)
        }
    }

    // MARK: Discovery

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        callback(peripheral, "didDiscoverServices", error) { entry in
            guard explored(.services, peripheral.services, error, entry) else { return }
            let services = Set(peripheral.services?.map { BluetoothID($0.uuid) } ?? [])
            let event: AccessoryLinkEvent =
                error.map { .discoveryFailed(LinkFailure($0)) } ?? .servicesDiscovered(services)
            feed(.link(peripheral, event), to: entry)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let identifier = BluetoothID(service.uuid)
        callback(peripheral, "didDiscoverCharacteristics \(identifier)", error) { entry in
            let subject = RequestTable.Subject.characteristics(
                AttributeReference(attribute: service)
            )
            guard explored(subject, service.characteristics, error, entry) else { return }
            if let error {
                entry.awaitedAnswers[identifier] = nil
                return feed(.link(peripheral, .discoveryFailed(LinkFailure(error))), to: entry)
            }
            characteristicsFound(of: identifier, peripheral, entry)
        }
    }

    /// If several services have the same UUID, the state machine receives one event, after the last
    /// of them has answered.
    private func characteristicsFound(
        of service: BluetoothID,
        _ peripheral: CBPeripheral,
        _ entry: AccessoryEntry
    ) {
        guard let awaited = entry.awaitedAnswers[service] else { return }
        entry.awaitedAnswers[service] = awaited > 1 ? awaited - 1 : nil
        guard awaited <= 1 else { return }
        let found = peripheral.knownPaths.filter { $0.service == service }.map(\.characteristic)
        feed(
            .link(peripheral, .characteristicsDiscovered(of: service, Set(found))),
            to: entry
        )
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    ) {
        let text = "didDiscoverIncludedServices \(BluetoothID(service.uuid))"
        callback(peripheral, text, error) { entry in
            let reference = AttributeReference(attribute: service)
            _ = explored(.includedServices(reference), service.includedServices, error, entry)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let text = "didDiscoverDescriptors \(BluetoothID(characteristic.uuid))"
        callback(peripheral, text, error) { entry in
            let reference = AttributeReference(attribute: characteristic)
            _ = explored(.descriptors(reference), characteristic.descriptors, error, entry)
        }
    }

    // MARK: Values

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {
        let text = "didUpdateValue \(BluetoothID(descriptor.uuid))"
        callback(peripheral, text, error) { entry in
            let content = DescriptorContent(descriptor.value)
            let reference = AttributeReference(attribute: descriptor)
            answer(
                .value(reference),
                entry,
                error.map { .failure(AccessoryError($0)) } ?? .success(.descriptor(content))
            )
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let path = characteristic.path else { return }
        let text = "didUpdateNotificationState \(path.characteristic)"
        callback(peripheral, text, error) { entry in
            let change: SubscriptionChange =
                error.map { .failed(LinkFailure($0)) }
                ?? (characteristic.isNotifying ? .confirmed : .ended)
            feed(.link(peripheral, .subscriptionChanged(path, change)), to: entry)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let path = characteristic.path else { return }
        let value = characteristic.value ?? Data()
        let text = "didUpdateValue \(path.characteristic)"
        callback(peripheral, text, error, detail: "\(value.count) bytes") { entry in
            let reference = AttributeReference(attribute: characteristic)
            valueReceived(value, of: path, reference, error, peripheral, entry)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let text = "didWriteValue \(BluetoothID(characteristic.uuid))"
        callback(peripheral, text, error) { entry in
            guard let path = characteristic.path else { return }
            entry.writes.confirmed(path, error.map { AccessoryError($0) }, now: now)
            write(entry)
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        callback(peripheral, "peripheralIsReady") { entry in write(entry) }
    }

    // MARK: The link

    func peripheral(
        _ peripheral: CBPeripheral,
        didReadRSSI RSSI: NSNumber,
        error: (any Error)?
    ) {
        callback(peripheral, "didReadRSSI", error, detail: "\(RSSI) dBm") { entry in
            if error == nil { heard(entry, rssi: RSSI.intValue) }
            let answer: Result<RequestAnswer, AccessoryError> =
                error.map { .failure(AccessoryError($0)) } ?? .success(.signal(RSSI.intValue))
            self.answer(.signal, entry, answer)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        callback(peripheral, "didOpen", error) { entry in
            channelOpened(channel, error, entry)
        }
    }

    /// Records a callback, and continues if the peripheral belongs to an accessory.
    private func callback(
        _ peripheral: CBPeripheral,
        _ text: String,
        _ error: (any Error)? = nil,
        detail: String? = nil,
        _ goOn: (AccessoryEntry) -> Void
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !hasEnded, let entry = entry(of: peripheral) else { return }
        record(.callback, text, entry, detail: error.map { "\(LinkFailure($0))" } ?? detail)
        // The attribute is gone: `didModifyServices` follows, and ends what concerns it.
        if let error = error as? CBError, error.code == .invalidHandle { return }
        if error == nil { heard(entry) }
        goOn(entry)
    }
}

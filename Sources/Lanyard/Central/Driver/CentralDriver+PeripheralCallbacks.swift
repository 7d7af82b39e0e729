// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Callbacks of the peripherals.

extension CentralDriver: CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        keeper(of: peripheral)?.mirror.setName(peripheral.name)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didModifyServices invalidatedServices: [CBService]
    ) {
        let identifiers = Set(invalidatedServices.map { BluetoothID($0.uuid) })
        told(peripheral, "didModifyServices", detail: "\(identifiers)") { keeper in
            feed(.link(peripheral, .servicesModified(identifiers)), to: keeper)
            failRequests(of: keeper, about: identifiers)
        }
    }

    // MARK: Discovery

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        told(peripheral, "didDiscoverServices", error) { keeper in
            let services = Set(peripheral.services?.map { BluetoothID($0.uuid) } ?? [])
            let event: LinkEvent =
                error.map { .discoveryFailed(LinkFailure($0)) } ?? .servicesDiscovered(services)
            feed(.link(peripheral, event), to: keeper)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let identifier = BluetoothID(service.uuid)
        told(peripheral, "didDiscoverCharacteristics \(identifier)", error) { keeper in
            if let error {
                keeper.awaitedAnswers[identifier] = nil
                return feed(.link(peripheral, .discoveryFailed(LinkFailure(error))), to: keeper)
            }
            characteristicsFound(of: identifier, peripheral, keeper)
        }
    }

    /// If several services have the same UUID, the state machine receives one event, after the last
    /// of them has answered.
    private func characteristicsFound(
        of service: BluetoothID,
        _ peripheral: CBPeripheral,
        _ keeper: AccessoryKeeper
    ) {
        guard let awaited = keeper.awaitedAnswers[service] else { return }
        keeper.awaitedAnswers[service] = awaited > 1 ? awaited - 1 : nil
        guard awaited <= 1 else { return }
        let found = peripheral.knownPaths.filter { $0.service == service }.map(\.characteristic)
        feed(
            .link(peripheral, .characteristicsDiscovered(of: service, Set(found))),
            to: keeper
        )
    }

    // MARK: Values

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let path = characteristic.path else { return }
        let text = "didUpdateNotificationState \(path.characteristic)"
        told(peripheral, text, error) { keeper in
            let change: SubscriptionChange =
                error.map { .failed(LinkFailure($0)) }
                ?? (characteristic.isNotifying ? .confirmed : .ended)
            feed(.link(peripheral, .subscriptionChanged(path, change)), to: keeper)
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
        told(peripheral, text, error, detail: "\(value.count) bytes") { keeper in
            valueCame(value, of: path, error, peripheral, keeper)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let text = "didWriteValue \(BluetoothID(characteristic.uuid))"
        told(peripheral, text, error) { keeper in
            guard let path = characteristic.path else { return }
            keeper.writes.confirmed(path, error.map { AccessoryError($0) }, now: now)
            write(keeper)
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        told(peripheral, "peripheralIsReady") { keeper in write(keeper) }
    }

    // MARK: The link

    func peripheral(
        _ peripheral: CBPeripheral,
        didReadRSSI RSSI: NSNumber,
        error: (any Error)?
    ) {
        told(peripheral, "didReadRSSI", error, detail: "\(RSSI) dBm") { keeper in
            if error == nil { heard(keeper, rssi: RSSI.intValue) }
            let answer: Result<RequestAnswer, AccessoryError> =
                error.map { .failure(AccessoryError($0)) } ?? .success(.signal(RSSI.intValue))
            self.answer(.signal, keeper, answer)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    ) {
        told(peripheral, "didOpen", error) { keeper in
            channelOpened(channel, error, keeper)
        }
    }

    /// Records a callback, and continues if the peripheral belongs to an accessory.
    private func told(
        _ peripheral: CBPeripheral,
        _ text: String,
        _ error: (any Error)? = nil,
        detail: String? = nil,
        _ goOn: (AccessoryKeeper) -> Void
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard !hasEnded, let keeper = keeper(of: peripheral) else { return }
        record(.callback, text, keeper, detail: error.map { "\(LinkFailure($0))" } ?? detail)
        if error == nil { heard(keeper) }
        goOn(keeper)
    }
}

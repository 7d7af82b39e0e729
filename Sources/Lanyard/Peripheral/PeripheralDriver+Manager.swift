// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Callbacks of the manager. All of them arrive on the queue.
extension PeripheralDriver: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        report(.availability(Availability(peripheral.state)))
        guard peripheral.state == .poweredOn else {
            // All centrals are gone, and the manager does not report that in states below
            // `poweredOff`.
            for key in subscribers.keys { leave(key) }
            failSendings(.notDelivered)
            return
        }
        // Restored services are published already. After that, all services are published again.
        if isRestored, !characteristics.isEmpty {
            isRestored = false
            advertise()
        } else {
            publish()
        }
    }

    /// Adopts the restored services if they are the ones that the app publishes.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
    {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        let restored = (services ?? []).flatMap { $0.characteristics ?? [] }
            .compactMap { $0 as? CBMutableCharacteristic }
        let wanted = accessory.services.flatMap(\.characteristics).map(\.identifier)
        guard Set(restored.map { BluetoothID($0.uuid) }) == Set(wanted) else { return }
        for characteristic in restored {
            characteristics[BluetoothID(characteristic.uuid)] = characteristic
        }
        isRestored = true
        report(.restored)
        for characteristic in restored {
            for central in characteristic.subscribedCentrals ?? [] {
                subscribed(central, characteristic)
            }
        }
    }

    private func publish() {
        manager?.removeAllServices()
        characteristics = [:]
        unpublished = Set(accessory.services.map(\.identifier))
        for service in accessory.services {
            let published = CBMutableService(type: service.identifier.cbuuid, primary: true)
            let members = service.characteristics.map { ($0.identifier, $0.mutable) }
            published.characteristics = members.map(\.1)
            for (identifier, member) in members { characteristics[identifier] = member }
            manager?.add(published)
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        if let error {
            return report(
                .failed("\(service.uuid) is not published: \(error.localizedDescription)")
            )
        }
        unpublished.remove(BluetoothID(service.uuid))
        if unpublished.isEmpty { advertise() }
    }

    private func advertise() {
        guard manager?.isAdvertising == false else { return report(.advertising) }
        manager?.startAdvertising(accessory.advertisement)
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        report(error.map { .failed("not advertising: \($0.localizedDescription)") } ?? .advertising)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        hasRoom()
    }
}

// Actions of centrals.
extension PeripheralDriver {
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        subscribed(central, characteristic)
    }

    private func subscribed(_ central: CBCentral, _ characteristic: CBCharacteristic) {
        let identifier = BluetoothID(characteristic.uuid)
        report(.subscribed(central.identifier, to: identifier))
        guard case .outbox = self.characteristic(identifier)?.kind,
            let outbox = characteristics[identifier]
        else { return }
        visit(central, outbox)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        let identifier = BluetoothID(characteristic.uuid)
        report(.unsubscribed(central.identifier, from: identifier))
        // The unsubscription of a central that reconnected before its earlier link ended may be
        // reported only now.
        let subscribers = characteristics[identifier]?.subscribedCentrals ?? []
        guard !subscribers.contains(where: { $0.identifier == central.identifier }) else { return }
        leave(SubscriberKey(central: central.identifier, outbox: identifier))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveRead request: CBATTRequest
    ) {
        let identifier = BluetoothID(request.characteristic.uuid)
        if case .computed(let value, _) = characteristic(identifier)?.kind {
            return compute(value, for: request)
        }
        switch values.change({ $0.read(identifier, from: request.offset) }) {
        case .success(let value):
            request.value = value
            peripheral.respond(to: request, withResult: .success)
        case .failure(let error): peripheral.respond(to: request, withResult: error.code)
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        guard let first = requests.first else { return }
        peripheral.respond(to: first, withResult: take(requests, from: first.central.identifier))
    }

    /// Performs requests that arrive together: all of them, or none.
    private func take(_ requests: [CBATTRequest], from central: UUID) -> CBATTError.Code {
        let writes = requests.map {
            PeripheralValues.Write(
                characteristic: BluetoothID($0.characteristic.uuid),
                offset: $0.offset,
                bytes: $0.value ?? Data()
            )
        }
        let messages = writes.compactMap { write in inbox(write, central) }
        let others = writes.filter { !isInbox($0.characteristic) }
        guard messages.count + others.count == writes.count else { return .writeNotPermitted }
        switch values.change({ $0.written(others) }) {
        case .failure(let error): return error.code
        case .success(let changed):
            if !changed.isEmpty, let refusal = configuration.validateWrites?(changed) {
                return refusal
            }
            keep(changed, of: central)
        }
        for (transport, bytes) in messages { transport.received(bytes) }
        return .success
    }

    private func keep(_ changed: [BluetoothID: Data], of central: UUID) {
        for (identifier, value) in changed.sorted(by: { $0.key.text < $1.key.text }) {
            values.change { $0[identifier] = value }
            report(.written(central, identifier, value))
            announce(identifier)
        }
    }

    private func isInbox(_ identifier: BluetoothID) -> Bool {
        if case .inbox = characteristic(identifier)?.kind { true } else { false }
    }

    /// Returns the transport and the bytes of a message chunk. `nil` if the write is not to an
    /// inbox, or if the central is not subscribed to the outbox.
    private func inbox(
        _ write: PeripheralValues.Write,
        _ central: UUID
    ) -> (CentralTransport, Data)? {
        guard case .inbox(let outbox) = characteristic(write.characteristic)?.kind,
            let subscriber = subscribers[SubscriberKey(central: central, outbox: outbox)],
            subscriber.transport.isLinked
        else { return nil }
        return (subscriber.transport, write.bytes)
    }
}

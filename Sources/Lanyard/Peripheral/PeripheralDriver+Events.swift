// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging

// Events of the server. All of them arrive on the queue.
extension PeripheralDriver {
    func receive(_ event: SystemServerEvent) {
        switch event {
        case .availabilityChanged(let availability): availabilityChanged(availability)
        case .restored(let characteristics): restored(characteristics)
        case .published(let service, let failure): published(service, failure)
        case .advertisingStarted(let failure):
            guard let failure else { return report(.advertising) }
            failToAdvertise("not advertising: \(failure)")
        case .subscribed(let central, let characteristic): subscribed(central, characteristic)
        case .unsubscribed(let central, let characteristic):
            unsubscribed(central, characteristic)
        case .read(let request): answer(request)
        case .written(let number, let central, let writes):
            let refusal = take(writes, from: central)
            respond(to: number, refusal.map { .failure($0) } ?? .success(Data()))
        case .hasRoom: hasRoom()
        }
    }

    private func availabilityChanged(_ availability: Availability) {
        report(.availability(availability))
        guard availability == .poweredOn else {
            // All links have ended, and the system does not report that in every state.
            for key in subscribers.keys { leave(key) }
            failSendings(.notDelivered)
            return
        }
        // Restored services are published already. When Bluetooth later becomes available again,
        // all services are published again.
        if isRestored {
            isRestored = false
            advertise()
            // Before, the system refused all values, and no other event reports that it has room.
            hasRoom()
        } else {
            // There are no subscribers.
            unannounced = []
            publish()
        }
    }

    /// Adopts the restored services if they have the characteristics that the app publishes.
    private func restored(_ characteristics: [BluetoothID]) {
        let wanted = accessory.services.flatMap(\.characteristics).map(\.identifier)
        guard !wanted.isEmpty, Set(characteristics) == Set(wanted) else { return }
        isPublished = true
        isRestored = true
        report(.restored)
        for characteristic in characteristics {
            for central in server?.subscribers(of: characteristic) ?? [] {
                subscribed(central, characteristic)
            }
        }
    }

    private func publish() {
        unpublished = accessory.services.map(\.identifier)
        isPublished = true
        server?.publish(accessory.services)
        if unpublished.isEmpty { advertise() }
    }

    private func published(_ service: BluetoothID, _ failure: String?) {
        if let failure {
            let effect = "is not published, so the accessory is not advertised"
            return failToAdvertise("the service \(service) \(effect): \(failure)")
        }
        guard let index = unpublished.firstIndex(of: service) else { return }
        unpublished.remove(at: index)
        if unpublished.isEmpty { advertise() }
    }

    /// Reports and logs a failure, because an app that does not receive the events sees nothing.
    private func failToAdvertise(_ reason: String) {
        Logger(label: "Lanyard").warning("\(accessory.name): \(reason)")
        report(.failed(reason))
    }

    private func advertise() {
        let services = accessory.advertised ?? accessory.services.map(\.identifier)
        server?.advertise(name: accessory.name, services: services)
    }
}

// Actions of centrals.
extension PeripheralDriver {
    private func subscribed(_ central: SystemSubscriber, _ characteristic: BluetoothID) {
        report(.subscribed(central.identifier, to: characteristic))
        guard isPublished, case .outbox = self.characteristic(characteristic)?.kind else { return }
        assignChannel(central, characteristic)
    }

    private func unsubscribed(_ central: UUID, _ characteristic: BluetoothID) {
        report(.unsubscribed(central, from: characteristic))
        // This may be the late report of the end of an earlier link. In the meantime, the central
        // may have reconnected and subscribed again.
        let subscribers = isPublished ? server?.subscribers(of: characteristic) ?? [] : []
        guard !subscribers.contains(where: { $0.identifier == central }) else { return }
        leave(SubscriberKey(central: central, outbox: characteristic))
    }

    private func answer(_ request: ServerRead) {
        let identifier = request.characteristic
        if case .computed(let value, _) = characteristic(identifier)?.kind {
            return compute(value, for: request)
        }
        let result = values.change { $0.read(identifier, from: request.offset) }
        respond(to: request.number, result)
    }

    /// Performs writes that arrive together: all of them, or none.
    ///
    /// - Returns: The refusal; `nil` if they were performed.
    private func take(_ writes: [PeripheralValues.Write], from central: UUID) -> AttributeError? {
        let messages = writes.compactMap { write in inbox(write, central) }
        let others = writes.filter { !isInbox($0.characteristic) }
        guard messages.count + others.count == writes.count else { return .writeNotPermitted }
        switch values.change({ $0.written(others) }) {
        case .failure(let error): return error
        case .success(let changed):
            if !changed.isEmpty, let refusal = configuration.validateWrites?(changed) {
                return refusal
            }
            keep(changed, of: central)
        }
        for (transport, bytes) in messages { transport.received(bytes) }
        return nil
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

    /// Returns the transport and the bytes of a message chunk; `nil` if the write is not to an
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

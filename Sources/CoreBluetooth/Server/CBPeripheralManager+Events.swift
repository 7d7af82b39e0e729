// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

// Events of the adapter, on the manager's queue.
extension CBPeripheralManager {
    func receive(_ event: PeripheralManagerEvent) {
        switch event {
        case .stateChanged(let state): stateChanged(to: CBManagerState(state))
        case .restored(let restored): self.restored(restored)
        case .added(let number, let error): added(number, error)
        case .replaced(let numbers): for number in numbers { forget(number) }
        case .advertisingStarted(let error, let ticket): advertisingStarted(error, ticket)
        case .advertisingChanged(let isOnAir, let ticket): setAdvertising(isOnAir, ticket)
        case .subscribed(let central, let place): subscribed(central, place)
        case .unsubscribed(let central, let place): unsubscribed(central, place)
        case .asked(let request): asked(request)
        case .lengthsChanged:
            let lengths = adapter?.facts.withLock { $0.valueLengths } ?? [:]
            snapshot.change { $0.setValueLengths(lengths) }
        case .readyToUpdate: delegate?.peripheralManagerIsReady(toUpdateSubscribers: self)
        case .channelPublished(let psm, let error):
            delegate?.peripheralManager(self, didPublishL2CAPChannel: psm, error: error?.delivered)
        case .channelUnpublished(let psm, let error):
            delegate?.peripheralManager(
                self,
                didUnpublishL2CAPChannel: psm,
                error: error?.delivered
            )
        case .channelOpened(let central, let channel): channelOpened(channel, by: central)
        }
    }

    private func stateChanged(to state: CBManagerState) {
        setState(state)
        if state != .poweredOn {
            let services = snapshot.change { snapshot in
                snapshot.isAdvertising = false
                return snapshot.allServices
            }
            for service in services { service.setPublished(false) }
        }
        if state.rawValue < CBManagerState.poweredOff.rawValue { forgetAll() }
        observers.report()
        delegate?.peripheralManagerDidUpdateState(self)
    }

    private func added(_ number: Int, _ error: ClientError?) {
        guard let service = snapshot.change({ $0.takeAdded(number) }) else { return }
        if error != nil { forget(number) }
        delegate?.peripheralManager(self, didAdd: service, error: error?.delivered)
    }

    private func advertisingStarted(_ error: ClientError?, _ ticket: Int) {
        if error == nil { setAdvertising(true, ticket) }
        delegate?.peripheralManagerDidStartAdvertising(self, error: error?.delivered)
    }

    private func setAdvertising(_ isOnAir: Bool, _ ticket: Int) {
        snapshot.change { snapshot in
            if snapshot.stopCount == ticket { snapshot.isAdvertising = isOnAir }
        }
        observers.report()
    }
}

// Subscriptions.
extension CBPeripheralManager {
    private func subscribed(_ served: ServedCentral, _ place: PublishedTree.Place) {
        guard let characteristic = snapshot.read({ $0.characteristic(at: place) }) else { return }
        let central = snapshot.change { $0.central(served) }
        let others = (characteristic.subscribedCentrals ?? []).filter { $0 !== central }
        characteristic.setSubscribedCentrals(others + [central])
        delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
    }

    private func unsubscribed(_ served: ServedCentral, _ place: PublishedTree.Place) {
        guard let characteristic = snapshot.read({ $0.characteristic(at: place) }) else { return }
        let central = snapshot.change { $0.central(served) }
        let others = (characteristic.subscribedCentrals ?? []).filter { $0 !== central }
        characteristic.setSubscribedCentrals(others)
        delegate?.peripheralManager(self, central: central, didUnsubscribeFrom: characteristic)
    }
}

// Requests.
extension CBPeripheralManager {
    private func asked(_ request: ServedRequest) {
        let central = snapshot.change { $0.central(request.central) }
        switch request.operation {
        case .read(let place, let offset):
            guard let read = attRequest(request.requestID, central, place, offset) else {
                return refuse(request.requestID)
            }
            guard let delegate else { return refuse(request.requestID) }
            delegate.peripheralManager(self, didReceiveRead: read)
        case .write(let writes):
            let requests = writes.compactMap { write in
                attRequest(
                    request.requestID,
                    central,
                    write.place,
                    write.entry.offset,
                    writing: write.entry
                )
            }
            guard let delegate, requests.count == writes.count else {
                return refuse(request.requestID)
            }
            delegate.peripheralManager(self, didReceiveWrite: requests)
        }
    }

    /// Returns the request for the delegate; `nil` if the characteristic is no longer published.
    private func attRequest(
        _ requestID: GATTServer.RequestID?,
        _ central: CBCentral,
        _ place: PublishedTree.Place,
        _ offset: Int,
        writing entry: GATT.WriteEntry? = nil
    ) -> CBATTRequest? {
        snapshot.read { $0.characteristic(at: place) }.map { characteristic in
            CBATTRequest(
                from: central,
                for: characteristic,
                offset: offset,
                value: entry.map { Data($0.value) },
                requestID: requestID,
                handle: entry?.handle
            )
        }
    }

    /// Refuses a request, because there is no delegate or the characteristic is no longer
    /// published.
    private func refuse(_ requestID: GATTServer.RequestID?) {
        guard let requestID else { return }
        adapter?.enter { [session] in
            $0.answer(requestID, .failure(.unlikelyError), for: session)
        }
    }
}

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
        case .advertisingStarted(let error, let stopCount): advertisingStarted(error, stopCount)
        case .advertisingChanged(let isOnAir, let stopCount): setAdvertising(isOnAir, stopCount)
        case .subscribed(let central, let characteristicID): subscribed(central, characteristicID)
        case .unsubscribed(let central, let characteristicID):
            unsubscribed(central, characteristicID)
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

    private func advertisingStarted(_ error: ClientError?, _ stopCount: Int) {
        if error == nil { setAdvertising(true, stopCount) }
        delegate?.peripheralManagerDidStartAdvertising(self, error: error?.delivered)
    }

    private func setAdvertising(_ isOnAir: Bool, _ stopCount: Int) {
        snapshot.change { snapshot in
            if snapshot.stopCount == stopCount { snapshot.isAdvertising = isOnAir }
        }
        observers.report()
    }
}

// Subscriptions.
extension CBPeripheralManager {
    private func subscribed(_ served: ServedCentral, _ characteristicID: PublishedCharacteristicID)
    {
        guard let characteristic = snapshot.read({ $0.characteristic(with: characteristicID) })
        else { return }
        let central = snapshot.change { $0.central(served) }
        let others = (characteristic.subscribedCentrals ?? []).filter { $0 !== central }
        characteristic.setSubscribedCentrals(others + [central])
        delegate?.peripheralManager(self, central: central, didSubscribeTo: characteristic)
    }

    private func unsubscribed(
        _ served: ServedCentral,
        _ characteristicID: PublishedCharacteristicID
    ) {
        guard let characteristic = snapshot.read({ $0.characteristic(with: characteristicID) })
        else { return }
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
        case .read(let characteristicID, let offset):
            guard let read = attRequest(request.requestID, central, characteristicID, offset) else {
                return refuse(request.requestID)
            }
            guard let delegate else { return refuse(request.requestID) }
            delegate.peripheralManager(self, didReceiveRead: read)
        case .write(let writes):
            let requests = writes.compactMap { write in
                attRequest(
                    request.requestID,
                    central,
                    write.characteristicID,
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
        _ characteristicID: PublishedCharacteristicID,
        _ offset: Int,
        writing entry: GATT.WriteEntry? = nil
    ) -> CBATTRequest? {
        snapshot.read { $0.characteristic(with: characteristicID) }.map { characteristic in
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
        adapter?.execute { [session] in
            $0.answer(requestID, .failure(.unlikelyError), for: session)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import CoreBluetoothEnumerations
import Foundation

// Events of the adapter, on the manager's queue. Each event changes the objects first and then
// calls the delegate. Events for invalidated objects are dropped.
extension CBPeripheral {
    func receive(_ event: PeripheralEvent) {
        switch event {
        // `CBCentralManager` handles it.
        case .nameChanged: break
        case .channelOpened(let result): channelOpened(result)
        case .channelSoundingRefused: channelSoundingRefused()
        case _ where !isLinked: break
        case .rssiRead(let result): rssiRead(result)
        case .servicesFound(let filter, let result):
            let error = take(result) { merge($0, filter) }
            delegate?.peripheral(self, didDiscoverServices: error)
        case .includedServicesFound(_, let handle, let result):
            guard let service = service(handle) else { return }
            let error = take(result) { merge($0, includedIn: service) }
            delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error)
        case .characteristicsFound(_, let handle, let result):
            guard let service = service(handle) else { return }
            let error = take(result) { merge($0, into: service) }
            delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error)
        case .descriptorsFound(let handle, let result):
            guard let characteristic = characteristic(handle) else { return }
            let error = take(result) { merge($0, into: characteristic) }
            delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error)
        case .servicesModified(let ranges, let isToldByPeer):
            servicesModified(ranges, isToldByPeer)
        case .readyToWrite: delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
        case .valueArrived, .valueRead, .valueWritten, .notifyingSet: valueEvent(event)
        case .descriptorRead, .descriptorWritten: descriptorEvent(event)
        }
    }

    private func valueEvent(_ event: PeripheralEvent) {
        switch event {
        case .valueArrived(let handle, let value):
            guard let characteristic = characteristic(handle) else { return }
            characteristic.setValue(Data(value))
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
        case .valueRead(let handle, let result):
            guard let characteristic = characteristic(handle) else { return }
            let error = take(result) { characteristic.setValue(Data($0)) }
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: error)
        case .valueWritten(let handle, let error):
            guard let characteristic = characteristic(handle) else { return }
            delegate?.peripheral(self, didWriteValueFor: characteristic, error: error)
        case .notifyingSet(let handle, let result):
            guard let characteristic = characteristic(handle) else { return }
            let error = take(result) { characteristic.setNotifying($0) }
            delegate?.peripheral(self, didUpdateNotificationStateFor: characteristic, error: error)
        default: break
        }
    }

    private func descriptorEvent(_ event: PeripheralEvent) {
        switch event {
        case .descriptorRead(let handle, let result):
            guard let descriptor = descriptor(handle) else { return }
            let error = take(result) { descriptor.setValue(bytes: Data($0)) }
            delegate?.peripheral(self, didUpdateValueFor: descriptor, error: error)
        case .descriptorWritten(let handle, let error):
            guard let descriptor = descriptor(handle) else { return }
            delegate?.peripheral(self, didWriteValueFor: descriptor, error: error)
        default: break
        }
    }

    private func rssiRead(_ result: Result<Int, any Error>) {
        let error = take(result) { rssi in snapshot.change { $0.rssi = NSNumber(value: rssi) } }
        let rssi = (try? result.get()) ?? SignalStrength.unknown
        delegate?.peripheral(self, didReadRSSI: NSNumber(value: rssi), error: error)
    }

    /// Invalidates the services in the ranges and calls the delegate. A change that the peripheral
    /// reported is passed on even if it invalidates no service: there may be new services.
    private func servicesModified(_ ranges: [ClosedRange<AttributeHandle>], _ isToldByPeer: Bool) {
        let hasDiscovered = services != nil
        let visible = services ?? []
        let stale = invalidateServices(in: ranges)
        let invalidated = stale.filter { service in
            visible.contains { $0 === service } || !service.isPrimary
        }
        guard !invalidated.isEmpty || isToldByPeer && hasDiscovered else { return }
        delegate?.peripheral(self, didModifyServices: invalidated)
    }

    // MARK: Lookup

    /// Whether events of the link may reach the delegate.
    private var isLinked: Bool { state == .connected || state == .disconnecting }

    private func service(_ handle: AttributeHandle) -> CBService? {
        snapshot.read { $0.tree.service(handle) }
    }

    private func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? {
        snapshot.read { $0.tree.characteristic(handle) }
    }

    private func descriptor(_ handle: AttributeHandle) -> CBDescriptor? {
        snapshot.read { $0.tree.descriptor(handle) }
    }

    /// Passes a success to `use`. Returns the error of a failure.
    private func take<Value>(
        _ result: Result<Value, any Error>,
        _ use: (Value) -> Void
    ) -> (any Error)? {
        switch result {
        case .success(let value):
            use(value)
            return nil
        case .failure(let error): return error
        }
    }
}

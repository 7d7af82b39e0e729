// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import CoreBluetoothEnumerations
import Foundation

// Events of the adapter, on the manager's queue. The objects change before the delegate is called.
// Events for invalidated objects are dropped.
extension CBPeripheral {
    func receive(_ event: RemoteEvent) {
        switch event {
        // `CBCentralManager` handles this event.
        case .nameChanged: break
        case .channelOpened(let result): channelOpened(result)
        case .channelSoundingRefused: channelSoundingRefused()
        case _ where !isLinked: break
        case .rssiRead(let result): rssiRead(result)
        case .found(let search, let result):
            take(event)
            found(search, result.failure)
        case .servicesModified(let ranges, let isReportedByPeer):
            servicesModified(ranges, isReportedByPeer, event)
        case .readyToWrite: delegate?.peripheralIsReady(toSendWriteWithoutResponse: self)
        case .valueReceived(let handle, let value):
            guard let characteristic = characteristic(handle) else { return }
            characteristic.setValue(Data(value))
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
        case .valueRead(let handle, let result):
            guard let characteristic = characteristic(handle) else { return }
            if case .success(let value) = result { characteristic.setValue(Data(value)) }
            delegate?.peripheral(self, didUpdateValueFor: characteristic, error: result.failure)
        case .valueWritten(let handle, let error):
            guard let characteristic = characteristic(handle) else { return }
            delegate?.peripheral(self, didWriteValueFor: characteristic, error: error?.delivered)
        case .notifyingSet(let handle, let result):
            guard let characteristic = characteristic(handle) else { return }
            take(event)
            delegate?.peripheral(
                self,
                didUpdateNotificationStateFor: characteristic,
                error: result.failure
            )
        case .descriptorRead(let handle, let result):
            guard let descriptor: CBDescriptor = attribute(handle) else { return }
            if case .success(let value) = result { descriptor.setValue(bytes: Data(value)) }
            delegate?.peripheral(self, didUpdateValueFor: descriptor, error: result.failure)
        case .descriptorWritten(let handle, let error):
            guard let descriptor: CBDescriptor = attribute(handle) else { return }
            delegate?.peripheral(self, didWriteValueFor: descriptor, error: error?.delivered)
        }
    }

    private func found(_ search: ClientSearch, _ error: (any Error)?) {
        switch search {
        case .services: delegate?.peripheral(self, didDiscoverServices: error)
        case .includedServices(_, let origin):
            guard let service: CBService = attribute(origin.handle) else { return }
            delegate?.peripheral(self, didDiscoverIncludedServicesFor: service, error: error)
        case .characteristics(_, let origin):
            guard let service: CBService = attribute(origin.handle) else { return }
            delegate?.peripheral(self, didDiscoverCharacteristicsFor: service, error: error)
        case .descriptors(let origin):
            guard let characteristic = characteristic(origin.valueHandle) else { return }
            delegate?.peripheral(self, didDiscoverDescriptorsFor: characteristic, error: error)
        }
    }

    private func rssiRead(_ result: Result<Int, ClientError>) {
        let rssi = NSNumber(value: (try? result.get()) ?? SignalStrength.unknown)
        if case .success = result { snapshot.change { $0.rssi = rssi } }
        delegate?.peripheral(self, didReadRSSI: rssi, error: result.failure)
    }

    /// Invalidates the services in the ranges and calls the delegate. A change that the peripheral
    /// reported is passed on even if it invalidates no service: there may be new services. Before
    /// the first discovery of services, no change is passed on.
    private func servicesModified(
        _ ranges: [ClosedRange<AttributeHandle>],
        _ isReportedByPeer: Bool,
        _ event: RemoteEvent
    ) {
        guard let table else { return }
        let invalidated = table.visibleServices(in: ranges)
            .compactMap { attribute($0.origin.handle) as CBService? }
        take(event)
        guard !invalidated.isEmpty || isReportedByPeer else { return }
        delegate?.peripheral(self, didModifyServices: invalidated)
    }

    // MARK: Lookup

    /// Whether events of the link may reach the delegate.
    private var isLinked: Bool { snapshot.read(\.remote.isLinked) }

    private func characteristic(_ handle: AttributeHandle) -> CBCharacteristic? {
        attribute(handle)
    }
}

extension Result where Failure == ClientError {
    /// The error of a failure, as a delegate gets it.
    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error.delivered } else { nil }
    }
}

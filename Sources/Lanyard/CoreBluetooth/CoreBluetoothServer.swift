// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A `CBPeripheralManager` as a `SystemServer`.
///
/// Unchecked: all mutable state is used on the manager's queue only.
final class CoreBluetoothServer: NSObject, SystemServer, @unchecked Sendable {
    typealias Receiver = @Sendable (SystemServerEvent) -> Void

    private let makeManager: @Sendable (CoreBluetoothServer) -> CBPeripheralManager
    private var manager: CBPeripheralManager?
    private var receiver: Receiver?
    /// The published characteristics, by UUID.
    private var characteristics: [BluetoothID: CBMutableCharacteristic] = [:]
    /// The requests that are not answered. Their number is limited by the manager, and a central
    /// has one at a time.
    private var requests: [ServerRequestNumber: (request: CBATTRequest, isRead: Bool)] = [:]
    private var lastRequest = 0

    /// Creates a server.
    ///
    /// - Parameter makeManager: A closure that makes the manager, with this server as its delegate.
    init(_ makeManager: @escaping @Sendable (CoreBluetoothServer) -> CBPeripheralManager) {
        self.makeManager = makeManager
    }

    func begin(_ receive: @escaping Receiver) {
        receiver = receive
        manager = makeManager(self)
    }

    func end() {
        manager?.stopAdvertising()
        manager?.removeAllServices()
        manager = nil
        receiver = nil
        (characteristics, requests) = ([:], [:])
    }

    private func post(_ event: SystemServerEvent) { receiver?(event) }

    // MARK: Services and advertising

    func publish(_ services: [PublishedService]) {
        manager?.removeAllServices()
        characteristics = [:]
        for service in services {
            let published = CBMutableService(type: service.identifier.cbuuid, primary: true)
            let members = service.characteristics.map { ($0.identifier, $0.mutable) }
            published.characteristics = members.map(\.1)
            for (identifier, member) in members { characteristics[identifier] = member }
            manager?.add(published)
        }
    }

    func advertise(name: String, services: [BluetoothID]) {
        // A second start is an error on Apple's platforms, even after the system continued an
        // advertisement, whose name and services may be those of an earlier version of the app.
        if manager?.isAdvertising == true { manager?.stopAdvertising() }
        manager?.startAdvertising([
            CBAdvertisementDataLocalNameKey: name,
            CBAdvertisementDataServiceUUIDsKey: services.map(\.cbuuid),
        ])
    }

    // MARK: Values

    func respond(to request: ServerRequestNumber, _ result: Result<Data, AttributeError>) {
        guard let (request, isRead) = requests.removeValue(forKey: request) else { return }
        switch result {
        case .success(let value):
            if isRead { request.value = value }
            manager?.respond(to: request, withResult: .success)
        case .failure(let error):
            let code = CBATTError.Code(rawValue: error.code) ?? .unlikelyError
            manager?.respond(to: request, withResult: code)
        }
    }

    func subscribers(of characteristic: BluetoothID) -> [SystemSubscriber] {
        (characteristics[characteristic]?.subscribedCentrals ?? []).map { SystemSubscriber($0) }
    }

    func send(
        _ value: Data,
        of characteristic: BluetoothID,
        to centrals: [UUID]?,
        delivered: (@Sendable (Bool) -> Void)?
    ) -> Bool {
        guard let manager, let published = characteristics[characteristic] else {
            delivered?(false)
            return true
        }
        let receivers = centrals.map { centrals in
            (published.subscribedCentrals ?? []).filter { centrals.contains($0.identifier) }
        }
        // An empty list would mean all subscribers.
        if let receivers, receivers.isEmpty {
            delivered?(false)
            return true
        }
        #if os(Linux)
            if let delivered {
                return manager.updateValue(
                    value,
                    for: published,
                    onSubscribedCentrals: receivers,
                    then: delivered
                )
            }
        #endif
        let isAccepted = manager.updateValue(
            value,
            for: published,
            onSubscribedCentrals: receivers
        )
        if isAccepted { delivered?(true) }
        return isAccepted
    }

    func refusal(for error: any Error) -> AttributeError? {
        (error as? CBATTError).map { AttributeError(code: $0.code.rawValue) }
    }
}

// Callbacks of the manager, as events.
extension CoreBluetoothServer: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        post(.availabilityChanged(Availability(peripheral.state)))
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
    {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
        let restored = (services ?? []).flatMap { $0.characteristics ?? [] }
            .compactMap { $0 as? CBMutableCharacteristic }
        for characteristic in restored {
            characteristics[BluetoothID(characteristic.uuid)] = characteristic
        }
        post(.restored(restored.map { BluetoothID($0.uuid) }))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    ) {
        post(.published(BluetoothID(service.uuid), failure: error?.localizedDescription))
    }

    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    ) {
        post(.advertisingStarted(failure: error?.localizedDescription))
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        post(.hasRoom)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        post(.subscribed(SystemSubscriber(central), BluetoothID(characteristic.uuid)))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        post(.unsubscribed(central.identifier, BluetoothID(characteristic.uuid)))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveRead request: CBATTRequest
    ) {
        let read = ServerRead(
            number: remember(request, isRead: true),
            central: SystemSubscriber(request.central),
            characteristic: BluetoothID(request.characteristic.uuid),
            offset: request.offset
        )
        post(.read(read))
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        guard let first = requests.first else { return }
        let writes = requests.map {
            PeripheralValues.Write(
                characteristic: BluetoothID($0.characteristic.uuid),
                offset: $0.offset,
                bytes: $0.value ?? Data()
            )
        }
        post(.written(remember(first, isRead: false), by: first.central.identifier, writes))
    }

    private func remember(_ request: CBATTRequest, isRead: Bool) -> ServerRequestNumber {
        lastRequest += 1
        requests[lastRequest] = (request, isRead)
        return lastRequest
    }
}

extension SystemSubscriber {
    fileprivate init(_ central: CBCentral) {
        self.init(
            identifier: central.identifier,
            maximumLength: central.maximumUpdateValueLength
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

@preconcurrency import CoreBluetooth
import Foundation

// Swift 5 in the peripheral role, with the import that was recommended to apps before the
// SDK was annotated.

/// A thermostat as a peripheral, which serves its target temperature.
final class Hearth: NSObject, ObservableThing {
    private let queue = DispatchQueue(label: "hearth", qos: .userInitiated)
    private lazy var manager = CBPeripheralManager(delegate: self, queue: queue)
    private let target = CBMutableCharacteristic(
        type: Thermostat.target,
        properties: [.read, .write, .notify],
        value: nil,
        permissions: [.readable, .writeable]
    )
    private let lock = NSLock()
    private var pending: [CBATTRequest] = []
    private var subscribers: [CBCentral] = []

    @MainActor var shown: Data?
    static let shared = Hearth()
    static let names: [CBUUID: String] = [Thermostat.target: "Target"]

    func start() {
        queue.async { _ = self.manager.state }
    }

    func publish() {
        let service = CBMutableService(type: Thermostat.service, primary: true)
        service.characteristics = [target]
        queue.async { [manager] in
            manager.add(service)
            manager.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
        }
    }

    func send(_ value: Data) {
        let (manager, target, subscribers) = (self.manager, self.target, self.subscribers)
        Task.detached(priority: .background) {
            _ = manager.updateValue(value, for: target, onSubscribedCentrals: subscribers)
        }
    }

    func answerAll(_ requests: [CBATTRequest]) async {
        await withTaskGroup(of: Void.self) { group in
            for request in requests {
                group.addTask { self.manager.respond(to: request, withResult: .success) }
            }
        }
    }

    func values() -> AsyncStream<CBATTRequest> {
        AsyncStream { continuation in
            for request in pending { continuation.yield(request) }
            continuation.finish()
        }
    }
}

protocol ObservableThing: AnyObject {}

extension Hearth: CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { publish() }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    ) {
        DispatchQueue.main.async {
            for request in requests {
                self.target.value = request.value
                self.shown = request.value
            }
            if let first = requests.first {
                peripheral.respond(to: first, withResult: .success)
            }
        }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveRead request: CBATTRequest
    ) {
        request.value = target.value?.dropFirst(request.offset)
        Task { peripheral.respond(to: request, withResult: .success) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    ) {
        DispatchQueue.global().async {
            self.lock.lock()
            defer { self.lock.unlock() }
            self.subscribers.append(central)
            print(characteristic.uuid, central.maximumUpdateValueLength)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Swift 5, as in most apps: a queue of its own, and closures and tasks that pass
// peripherals, characteristics and errors from one queue to another. Apple's SDK gives no warning
// for this code.

/// An app that uses thermostats on a queue of its own, and reports to the main queue.
final class Thermostat: NSObject {
    typealias Completion = (Result<CBCharacteristic, Error>) -> Void

    static let service = CBUUID(string: "181A")
    static let temperature = CBUUID(string: "2A6E")
    static let target = CBUUID(string: "4C414E59-4152-4400-A000-000000001C01")

    private let queue = DispatchQueue(label: "thermostat")
    private let notifications = NotificationCenter.default
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private var central: CBCentralManager!
    private var peripherals: [UUID: CBPeripheral] = [:]
    private var completions: [CBUUID: [Completion]] = [:]
    private var connections: [UUID: CheckedContinuation<CBPeripheral, Error>] = [:]
    private var timeouts: [UUID: Timer] = [:]
    private var retries: [UUID: DispatchWorkItem] = [:]

    var onDiscovery: ((CBPeripheral, [String: Any], NSNumber) -> Void)?
    var onTemperature: ((CBPeripheral, CBCharacteristic) -> Void)?
    var onDisconnection: ((CBPeripheral, Error?) -> Void)?

    override init() {
        super.init()
        central = CBCentralManager(
            delegate: self,
            queue: queue,
            options: [CBCentralManagerOptionShowPowerAlertKey: true]
        )
    }

    func scan() {
        queue.async {
            guard self.central.state == .poweredOn else { return }
            self.central.scanForPeripherals(withServices: [Thermostat.service], options: nil)
        }
    }

    func connect(to peripheral: CBPeripheral, timeout: TimeInterval = 10) {
        queue.async {
            self.peripherals[peripheral.identifier] = peripheral
            self.central.connect(peripheral, options: nil)
        }
        queue.asyncAfter(deadline: .now() + timeout) { [weak self] in
            guard let self = self, peripheral.state != .connected else { return }
            self.central.cancelPeripheralConnection(peripheral)
        }
    }

    func connection(to peripheral: CBPeripheral) async throws -> CBPeripheral {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                self.connections[peripheral.identifier] = continuation
                self.central.connect(peripheral)
            }
        }
    }

    func read(_ characteristic: CBCharacteristic, completion: @escaping Completion) {
        queue.async {
            self.completions[characteristic.uuid, default: []].append(completion)
            characteristic.service?.peripheral?.readValue(for: characteristic)
        }
    }

    func set(_ degrees: Int16, of peripheral: CBPeripheral) {
        let data = withUnsafeBytes(of: degrees.littleEndian) { Data($0) }
        let services = peripheral.services ?? []
        DispatchQueue.global().async {
            let characteristics = services.flatMap { $0.characteristics ?? [] }
            guard let target = characteristics.first(where: { $0.uuid == Thermostat.target }) else {
                return
            }
            peripheral.writeValue(data, for: target, type: .withResponse)
        }
    }

    func setLater(_ degrees: Int16, of peripheral: CBPeripheral) {
        let item = DispatchWorkItem { [weak self] in self?.set(degrees, of: peripheral) }
        retries[peripheral.identifier] = item
        queue.asyncAfter(deadline: .now() + .seconds(1), execute: item)
    }

    func poll(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
        timeouts[peripheral.identifier] = Timer.scheduledTimer(
            withTimeInterval: 5,
            repeats: true
        ) { _ in
            guard peripheral.state == .connected else { return }
            peripheral.readValue(for: characteristic)
        }
    }

    func rename(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
        Task {
            let connected = try await connection(to: peripheral)
            connected.discoverServices([Thermostat.service])
            connected.readValue(for: characteristic)
        }
        Task { @MainActor in
            onTemperature?(peripheral, characteristic)
        }
        Task.detached { [central] in
            if let central = central { central.cancelPeripheralConnection(peripheral) }
        }
    }

    func known() -> [CBPeripheral] {
        queue.sync { Array(peripherals.values) }
    }
}

extension Thermostat: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        DispatchQueue.main.async {
            self.notifications.post(name: .thermostatState, object: central)
        }
        if central.state == .poweredOn { scan() }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        peripherals[peripheral.identifier] = peripheral
        DispatchQueue.main.async {
            self.onDiscovery?(peripheral, advertisementData, RSSI)
        }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        connections.removeValue(forKey: peripheral.identifier)?.resume(returning: peripheral)
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) {
            peripheral.discoverServices([Thermostat.service])
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: Error?
    ) {
        let failure = error ?? CBError(.connectionFailed)
        connections.removeValue(forKey: peripheral.identifier)?.resume(throwing: failure)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        DispatchQueue.main.async { [weak self] in
            self?.onDisconnection?(peripheral, error)
            central.connect(peripheral, options: nil)
        }
    }
}

extension Thermostat: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        guard let services = peripheral.services else { return }
        OperationQueue.main.addOperation {
            for service in services {
                peripheral.discoverCharacteristics([Thermostat.temperature], for: service)
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: Error?
    ) {
        Task {
            for characteristic in service.characteristics ?? [] {
                peripheral.setNotifyValue(true, for: characteristic)
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        let waiting = completions.removeValue(forKey: characteristic.uuid) ?? []
        DispatchQueue.main.async {
            for completion in waiting {
                completion(error.map { .failure($0) } ?? .success(characteristic))
            }
            self.onTemperature?(peripheral, characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: Error?
    ) {
        DispatchQueue.main.async {
            channel?.inputStream.schedule(in: .main, forMode: .default)
            channel?.inputStream.open()
        }
    }
}

extension Notification.Name {
    static let thermostatState = Notification.Name("thermostatState")
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A central with five states, each of which contains only the values that exist in it.
final class HeartRateMonitor: NSObject {
    private enum State {
        case waitingForBluetooth
        case scanning
        case connecting(CBPeripheral)
        case discovering(CBPeripheral)
        case listening(CBPeripheral, CBCharacteristic)

        /// The sensor, if the state has one.
        var sensor: CBPeripheral? {
            switch self {
            case .waitingForBluetooth, .scanning: nil
            case .connecting(let sensor), .discovering(let sensor), .listening(let sensor, _):
                sensor
            }
        }
    }

    private let heartRateUUID = CBUUID(string: "180D")
    private let measurementUUID = CBUUID(string: "2A37")
    private let bodySensorLocationUUID = CBUUID(string: "2A38")

    private lazy var central = CBCentralManager(delegate: self, queue: nil)
    private var state = State.waitingForBluetooth
    private var measurementCount = 0
    private let measurementLimit: Int?

    init(measurementLimit: Int?) {
        self.measurementLimit = measurementLimit
    }

    func start() {
        _ = central
    }

    private func scan() {
        state = .scanning
        say("Looking for a heart rate sensor")
        central.scanForPeripherals(withServices: [heartRateUUID])
    }

    /// Requests a connection, which stays pending without a time limit.
    private func connect(to sensor: CBPeripheral) {
        state = .connecting(sensor)
        central.connect(sensor)
    }

    /// Gives up an unsuitable or changed sensor, and searches again.
    private func giveUp(_ sensor: CBPeripheral, _ reason: String) {
        say("Giving up \(sensor.displayName): \(reason)")
        state = .scanning
        central.cancelPeripheralConnection(sensor)
    }

    private func show(_ measurement: HeartRateMeasurement) {
        measurementCount += 1
        say("\(measurement)")
        guard measurementCount == measurementLimit else { return }
        say("That was the last of \(measurementCount)")
        exit(0)
    }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn:
            say("Bluetooth is on")
            scan()
        case .unsupported, .unauthorized:
            say("Bluetooth is not available on this computer")
            exit(1)
        default:
            say("Bluetooth is off")
            state = .waitingForBluetooth
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard case .scanning = state else { return }
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        say("Found \(name ?? peripheral.displayName) at \(RSSI) dBm")
        central.stopScan()
        connect(to: peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("Connected to \(peripheral.displayName)")
        state = .discovering(peripheral)
        peripheral.delegate = self
        peripheral.discoverServices([heartRateUUID])
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        say("Could not connect: \(error?.localizedDescription ?? "no reason")")
        scan()
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        guard peripheral == state.sensor else { return scan() }
        say("Lost \(peripheral.displayName): \(error?.localizedDescription ?? "no reason")")
        connect(to: peripheral)
    }
}

extension HeartRateMonitor: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == heartRateUUID }) else {
            return giveUp(peripheral, error?.localizedDescription ?? "it has no heart rate service")
        }
        peripheral.discoverCharacteristics(
            [measurementUUID, bodySensorLocationUUID],
            for: service
        )
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let characteristics = service.characteristics ?? []
        guard let measurement = characteristics.first(where: { $0.uuid == measurementUUID }) else {
            return giveUp(
                peripheral,
                error?.localizedDescription ?? "it has no heart rate measurement"
            )
        }
        if let place = characteristics.first(where: { $0.uuid == bodySensorLocationUUID }) {
            peripheral.readValue(for: place)
        }
        peripheral.setNotifyValue(true, for: measurement)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard characteristic.isNotifying else {
            return giveUp(peripheral, error?.localizedDescription ?? "it refuses notifications")
        }
        say("Listening to \(peripheral.displayName)")
        state = .listening(peripheral, characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let value = characteristic.value, error == nil else { return }
        switch characteristic.uuid {
        case measurementUUID: HeartRateMeasurement(value).map(show)
        case bodySensorLocationUUID: say("Worn on the \(bodySensorLocation(value))")
        default: break
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidated: [CBService]) {
        guard invalidated.contains(where: { $0.uuid == heartRateUUID }) else { return }
        say("\(peripheral.displayName) has changed")
        state = .discovering(peripheral)
        peripheral.discoverServices([heartRateUUID])
    }
}

extension CBPeripheral {
    fileprivate var displayName: String { name ?? identifier.uuidString }
}

/// Prints a line at once, even into a pipe. Without a reader, the line is lost.
func say(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
}

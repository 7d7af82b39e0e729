// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// A central as in most apps: Swift 5, with one object as the delegate of everything.

/// An app that scans for a heart rate belt, connects to it, and reports beats per minute.
final class HeartRateMonitor: NSObject {
    enum Phase: Equatable {
        case idle
        case waiting(CBManagerState)
        case scanning
        case connecting(UUID)
        case listening(UUID)
        case failed(String)
    }

    static let service = CBUUID(string: "180D")
    static let measurement = CBUUID(string: "2A37")
    static let location = CBUUID(string: "2A38")

    private(set) var phase = Phase.idle
    private(set) var rates: [Int] = []
    private(set) var bodyLocation: UInt8?
    var onRate: ((Int) -> Void)?

    private var central: CBCentralManager?
    private var belt: CBPeripheral?

    func start(queue: DispatchQueue? = nil, options: [String: Any] = [:]) {
        var options = options
        options[CBCentralManagerOptionShowPowerAlertKey] = false
        central = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    func stop() {
        if let belt = belt, belt.state != .disconnected {
            central?.cancelPeripheralConnection(belt)
        }
        if central?.isScanning == true { central?.stopScan() }
        phase = .idle
    }

    private func scan() {
        phase = .scanning
        central?.scanForPeripherals(
            withServices: [HeartRateMonitor.service],
            options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: false)]
        )
    }

    /// Returns the beats per minute in a measurement of either width.
    static func rate(in data: Data) -> Int? {
        guard let flags = data.first else { return nil }
        let body = data.dropFirst()
        if flags & 1 == 0 { return body.first.map(Int.init) }
        guard body.count >= 2 else { return nil }
        return Int(body[body.startIndex]) | Int(body[body.startIndex + 1]) << 8
    }

    static func name(of state: CBManagerState) -> String {
        switch state {
        case .unknown: return "unknown"
        case .resetting: return "resetting"
        case .unsupported: return "unsupported"
        case .unauthorized:
            return CBManager.authorization == .denied ? "denied" : "unauthorized"
        case .poweredOff: return "off"
        case .poweredOn: return "on"
        @unknown default: return "state \(state.rawValue)"
        }
    }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else {
            phase = .waiting(central.state)
            belt = nil
            return
        }
        let connected = central.retrieveConnectedPeripherals(
            withServices: [HeartRateMonitor.service])
        if let known = connected.first {
            take(known, with: central)
        } else {
            scan()
        }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        let services = advertisementData[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
        let isConnectable = advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber
        guard services.contains(HeartRateMonitor.service), isConnectable?.boolValue != false,
            RSSI.intValue != 127, RSSI.intValue > -90, name != nil || peripheral.name != nil
        else { return }
        central.stopScan()
        take(peripheral, with: central)
    }

    private func take(_ peripheral: CBPeripheral, with central: CBCentralManager) {
        belt = peripheral
        peripheral.delegate = self
        phase = .connecting(peripheral.identifier)
        central.connect(peripheral, options: nil)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([HeartRateMonitor.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: Error?
    ) {
        phase = .failed(error?.localizedDescription ?? "no reason")
        scan()
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: Error?
    ) {
        switch (error as? CBError)?.code {
        case .none: phase = .idle
        case .some(.connectionTimeout), .some(.peripheralDisconnected):
            central.connect(peripheral)
        case .some(let code): phase = .failed("code \(code.rawValue)")
        }
    }
}

extension HeartRateMonitor: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        for service in peripheral.services ?? [] where service.uuid == HeartRateMonitor.service {
            peripheral.discoverCharacteristics(
                [HeartRateMonitor.measurement, HeartRateMonitor.location],
                for: service
            )
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: Error?
    ) {
        guard error == nil else { return }
        service.characteristics?.forEach { characteristic in
            if characteristic.properties.contains(.notify) {
                peripheral.setNotifyValue(true, for: characteristic)
            } else if characteristic.properties.contains(.read) {
                peripheral.readValue(for: characteristic)
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        do {
            if let error = error { throw error }
            phase = .listening(peripheral.identifier)
        } catch CBATTError.insufficientAuthentication, CBATTError.insufficientEncryption {
            phase = .failed("not paired")
        } catch {
            phase = .failed((error as NSError).domain)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: Error?
    ) {
        guard let value = characteristic.value else { return }
        switch characteristic.uuid {
        case HeartRateMonitor.measurement:
            guard let rate = HeartRateMonitor.rate(in: value) else { return }
            rates.append(rate)
            onRate?(rate)
        case HeartRateMonitor.location: bodyLocation = value.first
        default: break
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
    {
        peripheral.discoverServices(invalidatedServices.map { $0.uuid })
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Swift 6: a model on the main actor, with conformances that are isolated to it (SE-0470).

/// The state of a thermometer for a view.
@MainActor
final class ThermometerModel: NSObject {
    static let service = CBUUID(string: "181A")
    static let temperature = CBUUID(string: "2A6E")

    private(set) var status = "waiting" {
        didSet { onStatus?(status) }
    }
    private(set) var celsius: Double?
    private(set) var isReconnecting = false
    var onStatus: ((String) -> Void)?

    private var central: CBCentralManager?
    private var thermometer: CBPeripheral?
    private var wanted: UUID?

    func start(remembering identifier: UUID? = nil, options: [String: Any]? = nil) {
        wanted = identifier
        central = CBCentralManager(delegate: self, queue: .main, options: options)
    }

    func forget() {
        guard let central, let thermometer else { return }
        central.cancelPeripheralConnection(thermometer)
    }

    private func connect(_ peripheral: CBPeripheral) {
        thermometer = peripheral
        peripheral.delegate = self
        central?.connect(
            peripheral,
            options: [CBConnectPeripheralOptionEnableAutoReconnect: true]
        )
        status = "connecting to \(peripheral.name ?? "thermometer")"
    }

    /// Returns the temperature of a measurement in degrees Celsius. The measurement has 16 bits in
    /// units of 0.01 degrees.
    nonisolated static func celsius(in data: Data) -> Double? {
        guard data.count == 2, let low = data.first, let high = data.last else { return nil }
        return Double(Int16(bitPattern: UInt16(low) | UInt16(high) << 8)) / 100
    }
}

extension ThermometerModel: @MainActor CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        switch central.state {
        case .poweredOn: resume(central)
        case .poweredOff: status = "switched off"
        case .unauthorized: status = "not allowed"
        case .unknown, .resetting, .unsupported: status = "not available"
        @unknown default: status = "new state"
        }
    }

    private func resume(_ central: CBCentralManager) {
        if let thermometer {
            connect(thermometer)
        } else if let wanted,
            let known = central.retrievePeripherals(withIdentifiers: [wanted]).first
        {
            connect(known)
        } else {
            central.scanForPeripherals(withServices: [Self.service])
        }
    }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
        thermometer = peripherals?.first
        thermometer?.delegate = self
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard thermometer == nil else { return }
        central.stopScan()
        connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        isReconnecting = false
        peripheral.discoverServices([Self.service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        self.isReconnecting = isReconnecting
        status = error.map { "lost: \($0.localizedDescription)" } ?? "disconnected"
        if !isReconnecting { thermometer = nil }
    }
}

extension ThermometerModel: @MainActor CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        peripheral.services?.forEach { peripheral.discoverCharacteristics(nil, for: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        let found = service.characteristics?.first { $0.uuid == Self.temperature }
        guard let found else { return }
        peripheral.setNotifyValue(true, for: found)
        peripheral.readRSSI()
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        celsius = characteristic.value.flatMap(Self.celsius(in:))
        status = "measuring"
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didReadRSSI RSSI: NSNumber,
        error: (any Error)?
    ) {
        if RSSI.intValue < -90 { status = "far away" }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// An app that tests terminate. It subscribes to the heart rate of a sensor, in this process or
// after a restart, and prints its events as lines. It ends when its standard input ends.

/// Prints a line without buffering, because the process may be terminated at any time.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

final class HeartRateApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let service = CBUUID(string: "180D")
    private let measurement = CBUUID(string: "2A37")
    private var manager: CBCentralManager?
    private var strap: CBPeripheral?

    func run() {
        manager = CBCentralManager(
            delegate: self,
            queue: nil,
            options: [CBCentralManagerOptionRestoreIdentifierKey: "heart rate"]
        )
    }

    // MARK: The manager

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
        strap = peripherals?.first
        strap?.delegate = self
        let isScanning = dict[CBCentralManagerRestoredStateScanServicesKey] != nil
        let words = [
            strap.map { "\($0.name ?? "unnamed")" }, isListening ? "notifying" : nil,
            isScanning ? "scanning" : nil,
        ]
        say("restored \(words.compactMap(\.self).joined(separator: " "))")
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        say(central.state == .poweredOn ? "poweredOn" : "state \(central.state.rawValue)")
        guard central.state == .poweredOn, strap == nil, !central.isScanning else { return }
        say("scan")
        central.scanForPeripherals(withServices: [service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard strap == nil else { return }
        say("discovered")
        strap = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
        central.stopScan()
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("connected")
        guard !isListening else { return }
        say("discover")
        peripheral.discoverServices([service])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        say("disconnected")
        central.connect(peripheral)
    }

    // MARK: The strap

    private var heartRate: CBCharacteristic? {
        let characteristics = (strap?.services ?? []).flatMap { $0.characteristics ?? [] }
        return characteristics.first { $0.uuid == measurement }
    }

    private var isListening: Bool { heartRate?.isNotifying == true }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([measurement], for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        guard let heartRate else { return }
        peripheral.setNotifyValue(true, for: heartRate)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        say(characteristic.isNotifying ? "subscribed" : "not subscribed")
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
    {
        say("modified")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        say("value")
    }
}

let app = HeartRateApp()
app.run()
Thread.detachNewThread {
    while readLine() != nil {}
    exit(0)
}
dispatchMain()

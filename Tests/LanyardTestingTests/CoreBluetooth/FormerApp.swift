// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import LanyardTesting

/// An app that uses Core Bluetooth directly: it connects to every strap, discovers its services and
/// characteristics, and subscribes to the heart rate.
///
/// Unchecked: callbacks change `peripherals` on `queue`, and tests read it after `events` has shown
/// the change.
final class FormerApp: NSObject, @unchecked Sendable {
    let queue = DispatchQueue(label: "former app")
    let manager: CBCentralManager
    let events = ReceivedValues<String>()
    private(set) var peripherals: [CBPeripheral] = []

    init(on phone: TestPhone) {
        manager = CBCentralManager(
            delegate: nil,
            queue: queue,
            options: [CBManagerOptionAdapterKey: phone.adapter]
        )
        super.init()
        manager.delegate = self
    }

    /// Waits until the app has noted an event `count` times.
    func wait(for event: String, count: Int = 1, in world: TestWorld) async throws {
        try await world.expect("the app gets \(count) \(event)", within: .seconds(30)) {
            self.events.values.count { $0 == event } >= count
        }
    }
}

extension FormerApp: CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        events.add("on")
        central.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard !peripherals.contains(where: { $0 === peripheral }) else { return }
        peripherals.append(peripheral)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        events.add("connected")
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        events.add("disconnected")
    }
}

extension FormerApp: CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics(nil, for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        events.add("discovered")
        for characteristic in service.characteristics ?? []
        where characteristic.uuid == CBUUID(string: "2A37") {
            peripheral.setNotifyValue(true, for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        events.add("value")
    }
}

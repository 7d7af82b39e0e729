// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import VirtualAccessories

/// An app that connects to all accessories of these tests and prepares them: it discovers
/// their services and subscribes to their numbers.
///
/// Unchecked, and its variables have no lock, on purpose: the tests and the thread sanitizer check
/// that a manager's callbacks come one at a time. Tests read the variables after the journal has
/// reported the last change.
final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable
{
    /// The journal with the lines `ready NAME`, `done NAME` and `answered`.
    let journal = Journal()
    // Made after `super.init()`, because its delegate is this object.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBCentralManager!
    /// The number of values expected from each peripheral.
    private let limit: Int
    private(set) var peripherals: [String: CBPeripheral] = [:]
    private(set) var characteristics: [String: [CBUUID: CBCharacteristic]] = [:]
    private(set) var numbers: [String: [UInt32]] = [:]
    /// The answers to requests for each characteristic of each peripheral, in order.
    private(set) var answers: [String: [CBUUID: [String]]] = [:]
    private(set) var answerCount = 0
    /// The number of answers after which the journal gets the line `answered`.
    var expectedAnswerCount = Int.max

    init(on adapter: CBAdapter, queue: DispatchQueue, limit: Int = 0) {
        self.limit = limit
        super.init()
        manager = CBCentralManager(
            delegate: self,
            queue: queue,
            options: [CBManagerOptionAdapterKey: adapter]
        )
    }

    /// Returns a characteristic of a peripheral that is ready.
    func characteristic(_ uuid: UInt16, of name: String) -> CBCharacteristic? {
        characteristics[name]?[CBUUID(short: uuid)]
    }

    private func name(_ peripheral: CBPeripheral) -> String {
        peripherals.first { $0.value === peripheral }?.key ?? "unknown"
    }

    private func answered(_ text: String, _ characteristic: CBCharacteristic, _ name: String) {
        answers[name, default: [:]][characteristic.uuid, default: []].append(text)
        answerCount += 1
        if answerCount == expectedAnswerCount { journal.add("answered") }
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(short: OrderingUUID.service)])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let name = peripheral.name, peripherals[name] == nil else { return }
        peripherals[name] = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(short: OrderingUUID.service)])
    }

    // MARK: CBPeripheralDelegate

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
        let name = name(peripheral)
        for characteristic in service.characteristics ?? [] {
            characteristics[name, default: [:]][characteristic.uuid] = characteristic
        }
        guard let numbers = characteristic(OrderingUUID.numbers, of: name) else {
            return journal.add("ready \(name)")
        }
        peripheral.setNotifyValue(true, for: numbers)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let name = name(peripheral)
        guard characteristic.uuid == CBUUID(short: OrderingUUID.numbers) else {
            return answered(characteristic.isNotifying ? "on" : "off", characteristic, name)
        }
        journal.add("ready \(name)")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let name = name(peripheral)
        let number = SimpleAccessoryProfile.number(characteristic.value ?? Data())
        guard characteristic.uuid == CBUUID(short: OrderingUUID.numbers) else {
            return answered("read \(number)", characteristic, name)
        }
        numbers[name, default: []].append(number)
        if numbers[name]?.count == limit { journal.add("done \(name)") }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard characteristic.uuid != CBUUID(short: OrderingUUID.start) else { return }
        answered("wrote", characteristic, name(peripheral))
    }
}

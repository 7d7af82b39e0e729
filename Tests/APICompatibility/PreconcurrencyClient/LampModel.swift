// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

// Swift 6: a model on the main actor with conformances that are checked at run time (SE-0423), for
// code that older compilers have to accept as well.

/// A model that switches a lamp.
@MainActor
final class LampModel: NSObject {
    static let service = CBUUID(string: "4C414E59-4152-4400-A000-000000001A00")
    static let battery = CBUUID(string: "180F")
    static let power = CBUUID(string: "4C414E59-4152-4400-A000-000000001A01")

    private(set) var isOn = false
    private(set) var hint: String?
    private(set) var problem: String?
    var onChange: ((LampModel) -> Void)?

    private var options: [String: Any]?
    private lazy var central = CBCentralManager(delegate: self, queue: nil, options: options)
    private var lamp: CBPeripheral?
    private var switchCharacteristic: CBCharacteristic?

    func start(options: [String: Any]? = nil) {
        self.options = options
        _ = central
    }

    func set(_ isOn: Bool) {
        guard let lamp, let switchCharacteristic, lamp.state == .connected else { return }
        let data = Data([isOn ? 1 : 0])
        if switchCharacteristic.properties.contains(.write) {
            lamp.writeValue(data, for: switchCharacteristic, type: .withResponse)
        } else if lamp.canSendWriteWithoutResponse,
            data.count <= lamp.maximumWriteValueLength(for: .withoutResponse)
        {
            lamp.writeValue(data, for: switchCharacteristic, type: .withoutResponse)
        }
    }
}

extension LampModel: @preconcurrency CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [Self.battery], options: nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        lamp = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        problem = error?.localizedDescription
        switchCharacteristic = nil
        onChange?(self)
    }
}

extension LampModel: @preconcurrency CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Self.power], for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        guard let found = service.characteristics?.first else { return }
        switchCharacteristic = found
        peripheral.discoverDescriptors(for: found)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        characteristic.descriptors?.forEach { peripheral.readValue(for: $0) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    ) {
        hint = descriptor.value as? String
        onChange?(self)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error = error as? CBATTError {
            problem = error.code == .writeNotPermitted ? "locked" : error.localizedDescription
        } else {
            isOn.toggle()
        }
        onChange?(self)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        set(!isOn)
    }
}

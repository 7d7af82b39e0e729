// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Dispatch
import Foundation
import ProcessTestSupport

/// An application as one would write it for a phone, which tells of each callback in a line.
///
/// Unchecked: what varies is changed on the queue before the line is told, and used by the test after it
/// has heard the line.
final class AccessoryApplication: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
    @unchecked Sendable
{
    private(set) var manager: CBCentralManager?
    private(set) var peripheral: CBPeripheral?
    private let callbacks = CallbackLines()

    init(on adapter: CBAdapter) {
        super.init()
        manager = CBCentralManager(
            delegate: self,
            queue: DispatchQueue(label: "application"),
            options: [CBManagerOptionAdapterKey: adapter]
        )
    }

    /// Waits for the next callback whose line begins in one of these ways; those before it are passed over. The rest of
    /// the line.
    @discardableResult
    func hear(_ beginnings: String..., within limit: Duration = Limits.step) async throws -> String
    {
        try await callbacks.hear(beginnings, within: limit)
    }

    /// Finds what advertises a service, and connects to it; the name that it was found under.
    func meet(_ service: BluetoothUUID) async throws -> String {
        try await hear("on")
        return try await encounter(service)
    }

    /// The same, once Bluetooth is on: connects to who is heard.
    @discardableResult
    func encounter(_ service: BluetoothUUID) async throws -> String {
        manager?.scanForPeripherals(withServices: [CBUUID(service)])
        let name = try await hear("found ", within: Limits.discovery)
        manager?.stopScan()
        if let peripheral { manager?.connect(peripheral) }
        try await hear("connected")
        return name
    }

    /// Discovers everything.
    func explore() async throws {
        peripheral?.discoverServices(nil)
        try await hear("services ok")
        for service in peripheral?.services ?? [] {
            peripheral?.discoverCharacteristics(nil, for: service)
            try await hear("characteristics ok")
        }
    }

    /// The same, while the peer's table may change; false if it did.
    func exploreUndisturbed() async throws -> Bool {
        peripheral?.discoverServices(nil)
        guard try await hear("services ", "modified ") == "ok" else { return false }
        for service in peripheral?.services ?? [] {
            peripheral?.discoverCharacteristics(nil, for: service)
            guard try await hear("characteristics ", "modified ") == "ok" else { return false }
        }
        return true
    }

    /// What was discovered under a UUID; nil if nothing was.
    func find(_ uuid: BluetoothUUID) -> CBCharacteristic? {
        (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
            .first { $0.uuid == CBUUID(uuid) }
    }

    /// Reads a value; as digits, or an error.
    func read(_ uuid: BluetoothUUID) async throws -> String {
        guard let found = find(uuid) else { return "not there" }
        peripheral?.readValue(for: found)
        return try await hear("value ")
    }

    private func tell(_ line: String) { callbacks.tell(line) }

    private func text(_ error: (any Error)?) -> String {
        switch error {
        case nil: "ok"
        case let error as CBError: "CBError \(error.code.rawValue)"
        case let error as CBATTError: "CBATTError \(error.code.rawValue)"
        case let error?: "\(error)"
        }
    }

    // MARK: CBCentralManagerDelegate

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        tell(central.state == .poweredOn ? "on" : "off")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        guard self.peripheral == nil || self.peripheral === peripheral, let name else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        tell("found \(name)")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        tell("connected")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        tell("disconnected \(text(error))")
    }

    // MARK: CBPeripheralDelegate

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        tell("services \(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        tell("characteristics \(text(error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidated: [CBService]) {
        tell("modified \(invalidated.map(\.uuid.uuidString).joined(separator: " "))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        tell("notifying \(characteristic.isNotifying) \(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let value = error == nil ? Array(characteristic.value ?? Data()) : []
        tell("value \(text(error)) \(value.hexadecimal)")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        tell("wrote \(text(error))")
    }
}

extension CBUUID {
    /// The same UUID as Apple has it.
    fileprivate convenience init(_ uuid: BluetoothUUID) { self.init(string: "\(uuid)") }
}

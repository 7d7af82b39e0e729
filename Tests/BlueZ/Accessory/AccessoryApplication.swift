// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Dispatch
import Foundation
import ProcessTestSupport

/// An app on CoreBluetooth. It reports its callbacks as lines of text.
///
/// Unchecked: its mutable state changes on the queue before the line is sent, and the test reads
/// that state only after it has received the line.
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

    /// Waits for the next callback whose line begins with one of these prefixes, and drops the
    /// lines before it. Returns the rest of the line.
    @discardableResult
    func awaitLine(_ beginnings: String..., within limit: Duration = Limits.step) async throws
        -> String
    {
        try await callbacks.awaitLine(beginnings, within: limit)
    }

    /// Finds a peripheral that advertises a service, and connects to it. Returns the name in its
    /// advertisement.
    func connect(to service: BluetoothUUID) async throws -> String {
        try await awaitLine("on")
        return try await connectToFirst(service)
    }

    /// Connects to the peripheral that is discovered first. Bluetooth has to be on.
    @discardableResult
    func connectToFirst(_ service: BluetoothUUID) async throws -> String {
        manager?.scanForPeripherals(withServices: [CBUUID(service)])
        let name = try await awaitLine("found ", within: Limits.discovery)
        manager?.stopScan()
        if let peripheral { manager?.connect(peripheral) }
        try await awaitLine("connected")
        return name
    }

    /// Discovers all services and characteristics.
    func explore() async throws {
        peripheral?.discoverServices(nil)
        try await awaitLine("services ok")
        for service in peripheral?.services ?? [] {
            peripheral?.discoverCharacteristics(nil, for: service)
            try await awaitLine("characteristics ok")
        }
    }

    /// Discovers all services and characteristics while the peer's database may change. Returns
    /// `false` if a discovery failed or the database changed.
    func exploreUndisturbed() async throws -> Bool {
        peripheral?.discoverServices(nil)
        guard try await awaitLine("services ", "modified ") == "ok" else { return false }
        for service in peripheral?.services ?? [] {
            peripheral?.discoverCharacteristics(nil, for: service)
            guard try await awaitLine("characteristics ", "modified ") == "ok" else { return false }
        }
        return true
    }

    /// Returns the discovered characteristic with a UUID, or `nil` if there is none.
    func find(_ uuid: BluetoothUUID) -> CBCharacteristic? {
        (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }
            .first { $0.uuid == CBUUID(uuid) }
    }

    /// Reads a value. Returns `ok` and the value's hexadecimal digits, or the error.
    func read(_ uuid: BluetoothUUID) async throws -> String {
        guard let found = find(uuid) else { return "not there" }
        peripheral?.readValue(for: found)
        return try await awaitLine("value ")
    }

    private func send(_ line: String) { callbacks.send(line) }

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
        send(central.state == .poweredOn ? "on" : "off")
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
        send("found \(name)")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        send("connected")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        send("disconnected \(text(error))")
    }

    // MARK: CBPeripheralDelegate

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        send("services \(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        send("characteristics \(text(error))")
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidated: [CBService]) {
        send("modified \(invalidated.map(\.uuid.uuidString).joined(separator: " "))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        send("notifying \(characteristic.isNotifying) \(text(error))")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let value = error == nil ? Array(characteristic.value ?? Data()) : []
        send("value \(text(error)) \(value.hexadecimal)")
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        send("wrote \(text(error))")
    }
}

extension CBUUID {
    /// Creates the same UUID in Apple's type.
    fileprivate convenience init(_ uuid: BluetoothUUID) { self.init(string: "\(uuid)") }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Synchronization

/// An app that scans and keeps its discoveries.
///
/// Unchecked: its variables are behind a lock, and a manager may be used on any thread.
final class StateListener: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    let journal = Journal()
    // Made after `super.init()`, because its delegate is this object.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBCentralManager!
    private let lock = Mutex(())
    private var matches: [(CBPeripheral, [String: Any], NSNumber)] = []

    init(options: [String: Any]) {
        super.init()
        let queue = DispatchQueue(label: "listener")
        manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    /// The advertisement data of the discoveries, in order.
    var data: [[String: Any]] { lock.withLock { _ in matches.map(\.1) } }

    /// The signal strengths of the discoveries, in order.
    var strengths: [NSNumber] { lock.withLock { _ in matches.map(\.2) } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { journal.add("on") }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        lock.withLock { _ in matches.append((peripheral, advertisementData, RSSI)) }
        journal.add("seen \(peripheral.name ?? "unnamed")")
    }
}

extension Fixture {
    func listener() -> StateListener {
        StateListener(options: [CBManagerOptionAdapterKey: adapter])
    }

    /// Creates a phone that is powered on and has discovered a peripheral.
    func phone(
        finding name: String,
        on adapter: CBAdapter? = nil
    ) async -> CentralRecorder {
        let phone = central(on: adapter)
        await phone.journal.wait(for: "state poweredOn")
        phone.manager.scanForPeripherals(withServices: nil)
        await phone.journal.wait(for: "discovered \(name)")
        phone.manager.stopScan()
        return phone
    }

    /// Creates a phone that is connected to a peripheral.
    func phone(
        connectedTo name: String,
        on adapter: CBAdapter? = nil,
        options: [String: Any] = [:]
    ) async throws -> CentralRecorder {
        let phone = await phone(finding: name, on: adapter)
        let peripheral = try phone.discovered(name)
        peripheral.delegate = phone
        phone.manager.connect(peripheral, options: options)
        await phone.journal.wait(for: "connected \(name)")
        return phone
    }
}

/// The error of a test that uses an object before its discovery.
struct NotDiscovered: Error {}

extension CentralRecorder {
    /// Returns a discovered peripheral by its name.
    func discovered(_ name: String) throws -> CBPeripheral {
        guard let peripheral = self[name] else { throw NotDiscovered() }
        return peripheral
    }

    /// The lines about disconnections.
    var disconnections: [String] { journal.lines.filter { $0.hasPrefix("disconnected") } }
}

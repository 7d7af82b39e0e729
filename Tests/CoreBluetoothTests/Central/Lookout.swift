// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Synchronization

/// An application that scans, and keeps what it was told of every sighting.
///
/// Unchecked: what varies is behind a lock; the manager may be used from any thread.
final class Lookout: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    let journal = Journal()
    // Needs the object itself, as its delegate.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBCentralManager!
    private let lock = Mutex(())
    private var sightings: [(CBPeripheral, [String: Any], NSNumber)] = []

    init(options: [String: Any]) {
        super.init()
        let queue = DispatchQueue(label: "lookout")
        manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }

    /// What advertisements said, in order.
    var data: [[String: Any]] { lock.withLock { _ in sightings.map(\.1) } }

    /// With which strength they were heard.
    var strengths: [NSNumber] { lock.withLock { _ in sightings.map(\.2) } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { journal.add("on") }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        lock.withLock { _ in sightings.append((peripheral, advertisementData, RSSI)) }
        journal.add("seen \(peripheral.name ?? "nobody")")
    }
}

extension Stage {
    /// A lookout on the phone.
    func lookout() -> Lookout { Lookout(options: [CBManagerOptionAdapterKey: adapter]) }

    /// A phone that is on and has found a peripheral.
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

    /// The same, and is connected to it.
    func phone(
        connectedTo name: String,
        on adapter: CBAdapter? = nil,
        options: [String: Any] = [:]
    ) async throws -> CentralRecorder {
        let phone = await phone(finding: name, on: adapter)
        let peripheral = try phone.met(name)
        peripheral.delegate = phone
        phone.manager.connect(peripheral, options: options)
        await phone.journal.wait(for: "connected \(name)")
        return phone
    }
}

struct NobodyMet: Error {}

extension CentralRecorder {
    /// A peripheral that was met, by its name.
    func met(_ name: String) throws -> CBPeripheral {
        guard let peripheral = self[name] else { throw NobodyMet() }
        return peripheral
    }

    /// The lines that are about links.
    var partings: [String] { journal.lines.filter { $0.hasPrefix("disconnected") } }
}

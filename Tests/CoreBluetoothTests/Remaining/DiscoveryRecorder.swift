// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation
import Synchronization

/// An app that scans and keeps its discoveries.
///
/// Unchecked: its variables are changed on the queue before a line is written, and the test reads
/// them after it has read the line.
final class DiscoveryRecorder: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate,
    @unchecked Sendable
{
    struct ScanMatch {
        let peripheral: CBPeripheral
        let name: String?
        let data: [String: Any]
        let rssi: NSNumber
    }

    let journal = Journal()
    // Made after `super.init()`, because its delegate is this object.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private(set) var manager: CBCentralManager!
    private(set) var matches: [ScanMatch] = []

    init(on adapter: CBAdapter, options: [String: Any] = [:]) {
        super.init()
        manager = CBCentralManager(
            delegate: self,
            queue: DispatchQueue(label: "scout"),
            options: options.merging([CBManagerOptionAdapterKey: adapter]) { $1 }
        )
    }

    /// Waits for `poweredOn`, and starts a scan.
    func scan(_ services: [CBUUID]? = nil, options: [String: Any]? = nil) async {
        await journal.wait(for: "poweredOn")
        manager.scanForPeripherals(withServices: services, options: options)
    }

    func count(_ name: String) -> Int {
        journal.lines.count { $0 == "seen \(name)" }
    }

    func first(_ name: String) -> ScanMatch? { matches.first { $0.name == name } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        journal.add(central.state == .poweredOn ? "poweredOn" : "off")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        peripheral.delegate = self
        matches.append(
            ScanMatch(
                peripheral: peripheral,
                name: peripheral.name,
                data: advertisementData,
                rssi: RSSI
            )
        )
        journal.add("seen \(peripheral.name ?? "unnamed")")
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        journal.add("connected")
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    ) {
        let error = (error as? CBError).map { "\($0.code.rawValue)" } ?? "ok"
        journal.add("disconnected \(error)\(isReconnecting ? " reconnecting" : "")")
    }

    func peripheralDidUpdateName(_ peripheral: CBPeripheral) {
        journal.add("name \(peripheral.name ?? "nil")")
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        journal.add("services")
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualRadio

extension Fixture {
    /// The options of a manager that is restored.
    static var appOptions: [String: Any] { [CBCentralManagerOptionRestoreIdentifierKey: "app"] }

    /// Returns the controller with this name.
    func controller(_ name: String) throws -> ControllerID {
        try #require(air.world.status.controllers.first { $0.name == name }?.id)
    }

    /// Relaunches the phone's process: returns the adapter of a new host with the same store.
    func relaunch(_ store: MemoryStore, times: Int = 1) throws -> CBAdapter {
        try addAdapter("phone, launch \(times + 1)", at: Position(x: 0, y: 0)) { configuration in
            configuration.store = store
            configuration.address = Self.phoneAddress
        }
    }
}

extension CentralRecorder {
    /// Becomes the delegate of a restored peripheral, as apps do, and writes its state into
    /// the journal.
    func takeOver(_ name: String) {
        react { line, app in
            guard line.hasPrefix("restored"), let peripheral = app[name] else { return }
            peripheral.delegate = app
            let attributes = (peripheral.services ?? []).flatMap { service in
                [service.uuid.uuidString]
                    + (service.characteristics ?? []).map { characteristic in
                        let descriptors = characteristic.descriptors ?? []
                        return characteristic.uuid.uuidString
                            + (characteristic.isNotifying ? "*" : "")
                            + descriptors.map { "/" + $0.uuid.uuidString }.joined()
                    }
            }
            let state =
                switch peripheral.state {
                case .connecting: "connecting"
                case .connected: "connected"
                default: "other"
                }
            app.journal.add("shows \(state) \(attributes.joined(separator: " "))")
        }
    }

    /// Discovers a heart rate strap, and subscribes to its heart rate.
    func listen(to name: String) async throws -> CBPeripheral {
        let strap = try await connectedPeripheral(name)
        await explore(strap)
        strap.setNotifyValue(true, for: try strap.characteristic("2A37"))
        await journal.wait(for: "value 2A37")
        return strap
    }
}

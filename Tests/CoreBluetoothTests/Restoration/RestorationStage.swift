// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualRadio

extension Stage {
    /// What a manager is known by from one launch to the next.
    static var appOptions: [String: Any] { [CBCentralManagerOptionRestoreIdentifierKey: "app"] }

    /// The controller with that name.
    func controller(_ name: String) throws -> ControllerID {
        try #require(air.world.status.controllers.first { $0.name == name }?.id)
    }

    /// The same phone, after its process was started again: another host on what the first has kept.
    func relaunch(_ store: MemoryStore, times: Int = 1) throws -> CBAdapter {
        try addAdapter("phone, launch \(times + 1)", at: Position(x: 0, y: 0)) { configuration in
            configuration.store = store
            configuration.address = Self.phoneAddress
        }
    }
}

extension CentralRecorder {
    /// Becomes the delegate of a restored peripheral, as applications do, and writes down what that
    /// shows.
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
            let state = peripheral.state == .connecting ? "connecting" : "other"
            app.journal.add("shows \(state) \(attributes.joined(separator: " "))")
        }
    }

    /// Finds a heart rate strap, and listens to it.
    func listen(to name: String) async throws -> CBPeripheral {
        let strap = try await visit(name)
        await explore(strap)
        strap.setNotifyValue(true, for: try strap.characteristic("2A37"))
        await journal.wait(for: "value 2A37")
        return strap
    }
}

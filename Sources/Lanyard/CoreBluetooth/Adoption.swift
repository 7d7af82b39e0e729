// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A manager that the central took over from the app, and the former delegates that the central
/// puts back when it ends.
///
/// Unchecked: used by the initializer of the central, and afterward on the manager's queue only.
final class Adoption: @unchecked Sendable {
    private struct Delegate {
        weak var object: (any CBPeripheralDelegate)?
    }

    private let manager: CBCentralManager
    private let adopted: [AdoptedPeripheral]
    /// The adopted peripherals, for the driver.
    let peripherals: [SystemPeripheral]
    private weak var managerDelegate: (any CBCentralManagerDelegate)?
    private var delegates: [Delegate] = []

    init(_ manager: CBCentralManager, with adopted: [AdoptedPeripheral]) {
        self.manager = manager
        self.adopted = adopted
        peripherals = adopted.map { CoreBluetoothPeripheral.make($0.peripheral) }
    }

    /// Checks the manager and the peripherals.
    func check(_ descriptions: [AccessoryDescription]) throws(AdoptionError) {
        guard !(manager.delegate is CoreBluetoothCentral) else { throw .inUse }
        var identifiers: Set<UUID> = []
        for adopted in adopted {
            let (peripheral, kind) = (adopted.peripheral, adopted.description.kind)
            let identifier = peripheral.identifier
            guard descriptions.contains(where: { $0.kind == kind }) else {
                throw .unknownKind(kind)
            }
            guard identifiers.insert(identifier).inserted else { throw .duplicate(identifier) }
            guard peripheral.state == .connected || peripheral.state == .connecting else {
                throw .notConnected(identifier)
            }
            // As long as the object of a peripheral exists, its manager returns this object.
            // Another result shows that the object belongs to another manager.
            let own = manager.retrievePeripherals(withIdentifiers: [identifier]).first
            guard own === peripheral else { throw .otherManager(identifier) }
        }
    }

    /// Replaces the delegates, and ends the scan of the app.
    func begin(_ central: CoreBluetoothCentral) -> CBCentralManager {
        managerDelegate = manager.delegate
        manager.delegate = central
        delegates = adopted.map { Delegate(object: $0.peripheral.delegate) }
        for peripheral in peripherals {
            peripheral.coreBluetooth?.attach(to: central)
            peripheral.coreBluetooth?.updateTable()
        }
        if manager.isScanning { manager.stopScan() }
        return manager
    }

    /// Gives the manager and the peripherals their former delegates.
    func end() {
        manager.delegate = managerDelegate
        for (adopted, former) in zip(adopted, delegates) {
            adopted.peripheral.delegate = former.object
        }
    }
}

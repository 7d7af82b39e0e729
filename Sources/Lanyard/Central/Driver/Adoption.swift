// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

/// A manager that the central took over from the app, with everything that it gives back.
///
/// Unchecked: used by the initializer of the central, and afterwards on the manager's queue only.
final class Adoption: @unchecked Sendable {
    private struct Delegate {
        weak var object: (any CBPeripheralDelegate)?
    }

    let manager: CBCentralManager
    let queue: DispatchQueue
    let peripherals: [AdoptedPeripheral]
    private weak var managerDelegate: (any CBCentralManagerDelegate)?
    private var delegates: [ObjectIdentifier: Delegate] = [:]

    init(
        _ manager: CBCentralManager,
        on queue: DispatchQueue,
        with peripherals: [AdoptedPeripheral]
    ) {
        self.manager = manager
        self.queue = queue
        self.peripherals = peripherals
    }

    /// Checks the manager and the peripherals.
    func check(_ descriptions: [AccessoryDescription]) throws(AdoptionError) {
        guard !(manager.delegate is CentralDriver) else { throw .inUse }
        var identifiers: Set<UUID> = []
        for adopted in peripherals {
            let (peripheral, kind) = (adopted.peripheral, adopted.description.kind)
            let identifier = peripheral.identifier
            guard descriptions.contains(where: { $0.kind == kind }) else {
                throw .unknownKind(kind)
            }
            guard identifiers.insert(identifier).inserted else { throw .duplicate(identifier) }
            guard peripheral.state == .connected || peripheral.state == .connecting else {
                throw .notConnected(identifier)
            }
            // A manager returns the same object for a peripheral as long as the object exists.
            let own = manager.retrievePeripherals(withIdentifiers: [identifier]).first
            guard own === peripheral else { throw .otherManager(identifier) }
        }
    }

    /// Replaces the delegates.
    func begin(_ driver: CentralDriver) {
        managerDelegate = manager.delegate
        manager.delegate = driver
        for adopted in peripherals {
            let peripheral = adopted.peripheral
            delegates[ObjectIdentifier(peripheral)] = Delegate(object: peripheral.delegate)
        }
    }

    /// Returns the former delegate of a peripheral; `nil` if it has none.
    func delegate(of peripheral: CBPeripheral) -> (any CBPeripheralDelegate)? {
        delegates[ObjectIdentifier(peripheral)]?.object
    }

    /// Gives the manager its former delegate.
    func giveManagerBack() { manager.delegate = managerDelegate }
}

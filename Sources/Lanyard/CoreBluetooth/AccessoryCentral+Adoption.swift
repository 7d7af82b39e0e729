// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Foundation

// Taking over a manager that the app runs, and giving it back.
extension AccessoryCentral {
    /// Creates a central that takes over a running manager with its links.
    ///
    /// An app that already uses Core Bluetooth can move to this library while it is connected:
    ///
    /// ```swift
    /// let central = try AccessoryCentral(
    ///     adopting: manager,
    ///     on: queue,
    ///     with: [AdoptedPeripheral(strap, as: .strap)],
    ///     for: [.strap]
    /// )
    /// ```
    ///
    /// The central replaces the delegates of the manager and of the peripherals. Each peripheral
    /// becomes an accessory, which is in ``accessories`` at once. The central continues with the
    /// services, characteristics and subscriptions of the app. If the app has not discovered all
    /// declared characteristics of an accessory, the central discovers all of them again. It
    /// remembers each accessory that becomes ready. The accessories in its store are connected with
    /// the same manager.
    ///
    /// Wait for the answers to earlier requests before this call, and do not use the manager or
    /// these peripherals afterward. A scan of the app ends. ``relinquishManager(_:)`` gives the
    /// manager back with its links. ``shutDown()`` and releasing the central give the manager back
    /// too, but end the links of the accessories.
    ///
    /// The configuration's `adapter` and `restores` have no effect, because the app chose the
    /// adapter and the restoration when it created the manager.
    ///
    /// - Parameters:
    ///   - manager: The manager, in any state. It is kept until the central ends.
    ///   - queue: The queue with which the manager was created; `nil` for the main queue, as in the
    ///     manager's initializer. A callback on another queue is a programming error and traps.
    ///   - peripherals: The peripherals to take over, each connected or being connected.
    ///   - descriptions: The descriptions of the accessories that the central may remember or pair.
    ///     The initializer traps if two of them have the same kind.
    ///   - configuration: The name of the central, its store, its limits and its policy.
    /// - Throws: ``AdoptionError``. The manager and the peripherals are then unchanged.
    public convenience init(
        adopting manager: CBCentralManager,
        on queue: DispatchQueue? = nil,
        with peripherals: [AdoptedPeripheral] = [],
        for descriptions: [AccessoryDescription],
        configuration: Configuration = Configuration()
    ) throws(AdoptionError) {
        let adoption = Adoption(manager, with: peripherals)
        try adoption.check(descriptions)
        let adopted = AdoptedCentral(
            central: CoreBluetoothCentral(adopting: adoption),
            queue: queue ?? .main,
            peripherals: zip(adoption.peripherals, peripherals).map {
                AdoptedCentral.Entry(peripheral: $0, description: $1.description)
            }
        )
        let driver = CentralDriver(descriptions, configuration, adopting: adopted)
        try driver.checkIdentities()
        driver.showAdopted()
        self.init(adopted: driver, in: configuration.process)
    }

    /// Ends the central, and returns the adopted manager to the app. The links stay open.
    ///
    /// The manager and the peripherals that the app passed get their former delegates back, if
    /// these still exist. Peripherals that the central connected itself have no delegate.
    /// Subscriptions stay. The scan of the central ends. The accessories stay in the store. A call
    /// that waits for an answer or for a ready accessory fails with ``AccessoryError/shutDown``,
    /// and a waiting write with ``AccessoryError/writeInterrupted(sent:of:)``. Every sequence ends.
    ///
    /// The call returns when the former delegate is in place.
    ///
    /// - Parameter receive: A closure that receives the connected peripherals, and those that are
    ///   being connected. It runs on the manager's queue, before any further callback. Keep the
    ///   peripherals: Core Bluetooth ends the link of a peripheral whose object is released.
    /// - Throws: ``AdoptionError/notAdopted`` if the central created its manager itself, or has
    ///   ended.
    public func relinquishManager(
        _ receive: @escaping @Sendable ([CBPeripheral]) -> Void = { _ in }
    ) async throws(AdoptionError) {
        let isRelinquished = await driver.relinquish { peripherals in
            receive(peripherals.compactMap { $0.coreBluetooth?.peripheral })
        }
        guard isRelinquished else { throw .notAdopted }
    }
}

/// A peripheral of a manager that a central takes over.
public struct AdoptedPeripheral {
    /// The peripheral.
    public var peripheral: CBPeripheral
    /// The description of the accessory.
    public var description: AccessoryDescription

    /// Creates a peripheral to take over.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral, which is connected or being connected.
    ///   - description: The description of the accessory. If the accessory is remembered, the
    ///     central's description of its kind applies instead.
    public init(_ peripheral: CBPeripheral, as description: AccessoryDescription) {
        self.peripheral = peripheral
        self.description = description
    }
}

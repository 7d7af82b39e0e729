// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A delegate for the events of a central manager.
///
/// All calls are made on the queue that the manager was made with, one at a time. Only the first
/// method is required.
///
/// On Apple's platforms the other methods are optional. Here they have default implementations,
/// which makes no difference to a delegate. The protocol is not isolated to an actor: a class on
/// the main actor conforms as `@MainActor CBCentralManagerDelegate` or `@preconcurrency
/// CBCentralManagerDelegate`, if its manager uses the main queue.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// Tells the delegate that the manager's state changed. The first call follows the creation of
    /// the manager.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// Tells the delegate that the manager restores the state of a manager with the same restore
    /// identifier, whose process ended. This is the first call of all. `dict` holds the state under
    /// the keys that begin with `CBCentralManagerRestoredState`.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// Tells the delegate that the manager discovered a peripheral. To connect to the peripheral,
    /// the app has to keep it.
    ///
    /// - Parameters:
    ///   - central: The manager that scans.
    ///   - peripheral: The peripheral.
    ///   - advertisementData: The advertisement, under the keys that begin with
    ///     `CBAdvertisementData`.
    ///   - RSSI: The signal strength in dBm, or 127 if it is not known.
    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )

    /// Tells the delegate that the peripheral is connected and accepts commands.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// Tells the delegate that a connection attempt failed. This is rare, because attempts have no
    /// timeout.
    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// Tells the delegate that the peripheral disconnected. `error` is `nil` if the app
    /// canceled the connection. A delegate with this method does not get the method with a
    /// timestamp, and its peripherals do not reconnect automatically.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// Tells the delegate that the peripheral disconnected, and whether the system reconnects.
    ///
    /// - Parameters:
    ///   - central: The manager of the connection.
    ///   - peripheral: The peripheral.
    ///   - timestamp: The time at which the link ended.
    ///   - isReconnecting: Whether the system tries to connect again. If so,
    ///     `centralManager(_:didConnect:)` reports the next connection.
    ///   - error: The reason for the disconnection; `nil` if the app canceled the
    ///     connection.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    )

    /// Tells the delegate that a matching peer connected to this host or disconnected from it,
    /// whichever manager or peer caused the event. The options of
    /// `CBCentralManager.registerForConnectionEvents(options:)` select the peers.
    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    )

    /// Tells the delegate that a peripheral's access to the phone's notifications changed. Never
    /// called on Linux, which has no such notifications.
    func centralManager(
        _ central: CBCentralManager,
        didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    )
}

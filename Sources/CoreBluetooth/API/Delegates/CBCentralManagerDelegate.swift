// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Who hears of what happens to a central manager. All calls come on the queue that the manager was
/// made with, one after the other. Only the first method has to be there.
///
/// On Apple's platforms the other methods are optional; here each has a default that does nothing,
/// which is the same to who writes a delegate. The protocol belongs to no actor: a class on the main
/// actor conforms as `@MainActor CBCentralManagerDelegate` or `@preconcurrency
/// CBCentralManagerDelegate`, if its manager has the main queue.
public protocol CBCentralManagerDelegate: NSObjectProtocol {
    /// The manager's state is another now. Comes soon after the manager was made, and then at every
    /// change.
    func centralManagerDidUpdateState(_ central: CBCentralManager)

    /// The manager takes up what a manager with the same restore identifier left behind when its
    /// process ended. The first call of all; `dict` has what was going on, under the keys that begin
    /// with `CBCentralManagerRestoredState`.
    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])

    /// A peripheral was seen. `advertisementData` is what it says, under the keys that begin with
    /// `CBAdvertisementData`; `RSSI` is the signal strength in dBm, 127 if it is not known. Who wants
    /// to connect to the peripheral has to keep it.
    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    )

    /// The peripheral is connected and takes commands.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)

    /// The attempt to connect was given up. Rare: an attempt waits as long as it takes.
    func centralManager(
        _ central: CBCentralManager,
        didFailToConnect peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// The peripheral is no longer connected; `error` is nil if the application asked for that. A
    /// delegate with this method does not get the one with a timestamp, and peripherals do not
    /// reconnect by themselves.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    )

    /// The peripheral is no longer connected since `timestamp`; `error` is nil if the application
    /// asked for that. With `isReconnecting` the system tries to connect again, which
    /// `centralManager(_:didConnect:)` reports; otherwise this is the last that is heard of the
    /// peripheral.
    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        timestamp: CFAbsoluteTime,
        isReconnecting: Bool,
        error: (any Error)?
    )

    /// A peer that the manager was registered for is connected to this host, or no longer, whoever
    /// caused it (`CBCentralManager.registerForConnectionEvents(options:)`).
    func centralManager(
        _ central: CBCentralManager,
        connectionEventDidOccur event: CBConnectionEvent,
        for peripheral: CBPeripheral
    )

    /// A peripheral may see a phone's notifications, or no longer. Never called on Linux, which has
    /// no such notifications.
    func centralManager(
        _ central: CBCentralManager,
        didUpdateANCSAuthorizationFor peripheral: CBPeripheral
    )
}

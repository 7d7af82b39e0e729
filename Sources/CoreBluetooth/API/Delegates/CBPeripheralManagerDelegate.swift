// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A delegate for the events of a peripheral manager.
///
/// All calls are made on the queue that the manager was made with, one at a time. Only the first
/// method is required. The default implementations of the others do nothing, except those that
/// receive requests, which refuse them.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// Tells the delegate that the manager's state changed. The first call follows the creation of
    /// the manager.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// Tells the delegate that the manager restores the state of a manager with the same restore
    /// identifier, whose process ended. This is the first call of all. `dict` holds the state under
    /// the keys that begin with `CBPeripheralManagerRestoredState`.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Tells the delegate that advertising started, or, with an error, that it did not.
    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    )

    /// Tells the delegate that a service was published, or, with an error, that it was not.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    )

    /// Tells the delegate that a central enabled notifications or indications.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    )

    /// Tells the delegate that a central's subscription ended: the central disabled notifications
    /// or indications, disconnected, or connected again.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    )

    /// Tells the delegate that a central requests a value. The app sets
    /// `CBATTRequest.value` and then answers once, with
    /// `CBPeripheralManager.respond(to:withResult:)`.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// Tells the delegate that a central requests writes, which are to be performed together or not
    /// at all. The app answers once, with `CBPeripheralManager.respond(to:withResult:)` for
    /// the first request, or, with an error, for the request that caused the error.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    )

    /// Tells the delegate that there is space again for values, after
    /// `CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)` returned `false`.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// Tells the delegate that L2CAP channels are accepted on `PSM`, or, with an error, that they
    /// are not.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )

    /// Tells the delegate that L2CAP channels are no longer accepted on `PSM`, or, with an error,
    /// that the manager has no listener on it.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )

    /// Tells the delegate that a central opened an L2CAP channel. On Linux, `error` is always
    /// `nil`.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    )
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Who hears of what happens to a peripheral manager. All calls come on the queue that the manager
/// was made with, one after the other. Only the first method has to be there; the others have a
/// default that does nothing, except those that receive requests, which refuse them.
public protocol CBPeripheralManagerDelegate: NSObjectProtocol {
    /// The manager's state is another now. Comes soon after the manager was made, and then at every
    /// change.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)

    /// The manager takes up what a manager with the same restore identifier left behind when its
    /// process ended. The first call of all; `dict` has what was going on, under the keys that begin
    /// with `CBPeripheralManagerRestoredState`.
    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])

    /// Advertising has begun; or, with an error, has not.
    func peripheralManagerDidStartAdvertising(
        _ peripheral: CBPeripheralManager,
        error: (any Error)?
    )

    /// A service is published; or, with an error, is not.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didAdd service: CBService,
        error: (any Error)?
    )

    /// A central has switched notifications or indications on.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didSubscribeTo characteristic: CBCharacteristic
    )

    /// A central has switched notifications or indications off, or is gone.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        central: CBCentral,
        didUnsubscribeFrom characteristic: CBCharacteristic
    )

    /// A central wants to read. To be answered once, with `CBPeripheralManager.respond(to:withResult:)`,
    /// after `CBATTRequest.value` was set.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)

    /// A central wants to write, all of it or nothing. To be answered once, with
    /// `CBPeripheralManager.respond(to:withResult:)` for the first of the requests.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didReceiveWrite requests: [CBATTRequest]
    )

    /// There is room again for values, after
    /// `CBPeripheralManager.updateValue(_:for:onSubscribedCentrals:)` has returned false.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)

    /// L2CAP channels are accepted under the number `PSM`; or, with an error, are not.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )

    /// L2CAP channels are no longer accepted under the number `PSM`.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didUnpublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    )

    /// A central has opened an L2CAP channel; or, with an error, has tried to.
    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    )
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A delegate for the events of a peripheral.
///
/// All calls are made on the queue of the peripheral's manager. The results of requests for
/// attributes come in the order of the requests. The only exceptions are requests that fail because
/// too many requests wait or the services have changed. Errors are values of `CBError` or
/// `CBATTError`. No method is required: the default implementations do nothing, except that
/// ``peripheral(_:didModifyServices:)`` logs a warning.
public protocol CBPeripheralDelegate: NSObjectProtocol {
    /// Tells the delegate that the peripheral's name changed.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral)

    /// Tells the delegate that the peripheral's services changed. The given services are invalid,
    /// with everything in them. The app has to discover their replacements.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

    /// Reports the signal strength. Not called: `peripheral(_:didReadRSSI:error:)` replaces it.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

    /// Tells the delegate the signal strength: `RSSI` in dBm, or 127 if it is not known.
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

    /// Tells the delegate that a discovery of services ended. Its result is in
    /// `CBPeripheral.services`.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

    /// Tells the delegate that a discovery of included services ended. Its result is in
    /// `CBService.includedServices`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    )

    /// Tells the delegate that a discovery of characteristics ended. Its result is in
    /// `CBService.characteristics`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    )

    /// Tells the delegate that a value was read, or received in a notification or indication. The
    /// value is in `CBCharacteristic.value`. The delegate cannot distinguish a read from a
    /// notification. An error leaves the value unchanged.
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// Tells the delegate that a write with response succeeded or, with an error, that it failed.
    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// Tells the delegate that notifications or indications were enabled or disabled: see
    /// `CBCharacteristic.isNotifying`. With an error, they are as before.
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// Tells the delegate that a discovery of descriptors ended. Its result is in
    /// `CBCharacteristic.descriptors`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// Tells the delegate that a descriptor was read. Its value is in `CBDescriptor.value`. An
    /// error leaves the value unchanged.
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    )

    /// Tells the delegate that the write of a descriptor succeeded or, with an error, that it
    /// failed.
    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor descriptor: CBDescriptor,
        error: (any Error)?
    )

    /// Tells the delegate that there is space again for writes without response, after
    /// `CBPeripheral.canSendWriteWithoutResponse` was `false`.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

    /// Tells the delegate that an L2CAP channel was opened, or, with an error, that the
    /// opening failed.
    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    )

    /// Tells the delegate the result of a Channel Sounding procedure. The adapters of this host
    /// support none.
    func peripheral(
        _ peripheral: CBPeripheral,
        didReceive results: CBChannelSoundingProcedureResults?,
        error: (any Error)?
    )

    /// Tells the delegate that a Channel Sounding session ended. The error is always
    /// `CBError.operationNotSupported`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didCompleteChannelSoundingSession error: (any Error)?
    )
}

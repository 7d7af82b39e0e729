// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Who hears of what happens to a peripheral. All calls come on the queue of the manager that the
/// peripheral is from, in the order in which they were asked for. Errors are values of `CBError` or
/// `CBATTError`.
///
/// No method has to be there: each has a default that does nothing.
public protocol CBPeripheralDelegate: NSObjectProtocol {
    /// The peripheral's name is another now.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral)

    /// The peripheral's table has changed: these services, and all that they had, are stale. What is
    /// new in their place has to be discovered.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

    /// The signal strength was read. Not called any more: `peripheral(_:didReadRSSI:error:)` is.
    @available(*, deprecated, message: "use peripheral(_:didReadRSSI:error:)")
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

    /// The signal strength was read: `RSSI` in dBm, 127 if it is not known.
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

    /// A discovery of services is over: see `CBPeripheral.services`.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

    /// A discovery of included services is over: see `CBService.includedServices`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverIncludedServicesFor service: CBService,
        error: (any Error)?
    )

    /// A discovery of characteristics is over: see `CBService.characteristics`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    )

    /// A value was read, or came unasked, and is in `CBCharacteristic.value`; nothing tells the one
    /// from the other. After an error the value is as it was.
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// The peripheral has answered a write.
    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// Notifications were switched on or off: see `CBCharacteristic.isNotifying`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// A discovery of descriptors is over: see `CBCharacteristic.descriptors`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverDescriptorsFor characteristic: CBCharacteristic,
        error: (any Error)?
    )

    /// A descriptor was read: its value is in `CBDescriptor.value`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor descriptor: CBDescriptor,
        error: (any Error)?
    )

    /// The peripheral has answered the write of a descriptor.
    func peripheral(
        _ peripheral: CBPeripheral,
        didWriteValueFor descriptor: CBDescriptor,
        error: (any Error)?
    )

    /// There is room again for writes without response, after
    /// `CBPeripheral.canSendWriteWithoutResponse` was false.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

    /// An L2CAP channel that was asked for is there; or, with an error, is not.
    func peripheral(
        _ peripheral: CBPeripheral,
        didOpen channel: CBL2CAPChannel?,
        error: (any Error)?
    )

    /// A procedure of channel sounding is over. No adapter of this host makes one.
    func peripheral(
        _ peripheral: CBPeripheral,
        didReceive results: CBChannelSoundingProcedureResults?,
        error: (any Error)?
    )

    /// A session of channel sounding is over; here always at once, with
    /// `CBError.operationNotSupported`.
    func peripheral(
        _ peripheral: CBPeripheral,
        didCompleteChannelSoundingSession error: (any Error)?
    )
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// What the adapter has to tell of one peripheral; it changes what the `CBPeripheral` shows, and becomes
/// a call of its delegate. Errors are of `CBError` or `CBATTError`. Attributes go by their handles:
/// characteristics by those of their values.
enum PeripheralEvent: Sendable {
    case nameChanged(String?)
    case rssiRead(Result<Int, any Error>)
    case servicesFound(UUIDFilter, Result<[GATT.Service], any Error>)
    case includedServicesFound(
        UUIDFilter,
        of: AttributeHandle,
        Result<[GATT.Service], any Error>
    )
    case characteristicsFound(
        UUIDFilter,
        of: AttributeHandle,
        Result<[GATT.Characteristic], any Error>
    )
    case descriptorsFound(of: AttributeHandle, Result<[GATT.Descriptor], any Error>)
    /// A value that was not asked for.
    case valueArrived(AttributeHandle, ArraySlice<UInt8>)
    case valueRead(AttributeHandle, Result<[UInt8], any Error>)
    case valueWritten(AttributeHandle, (any Error)?)
    case descriptorRead(AttributeHandle, Result<[UInt8], any Error>)
    case descriptorWritten(AttributeHandle, (any Error)?)
    /// Values come unasked, or come no more; after an error it is as it was.
    case notifyingSet(AttributeHandle, Result<Bool, any Error>)
    /// There is room again for writes without response.
    case readyToWrite
    /// What lies in these ranges is not what it was. Whether the peripheral has said so, or it was
    /// noticed.
    case servicesModified([ClosedRange<AttributeHandle>], isToldByPeer: Bool)
    /// A channel that was asked for is open, or is not.
    case channelOpened(Result<OpenChannel, any Error>)
    /// No adapter of ours measures distances.
    case channelSoundingRefused
}

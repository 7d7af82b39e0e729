// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

extension CBPeripheral {
    /// An event of a peripheral. It changes the `CBPeripheral` and then becomes a call of its
    /// delegate. Errors are of `CBError` or `CBATTError`. Handles identify the attributes.
    /// Characteristics are identified by their value handle.
    enum Event: Sendable {
        case nameChanged(String?)
        case rssiRead(Result<Int, any Error>)
        /// The attributes that a search found, as the outcome of its kind.
        case found(ClientSearch, Result<GATT.Outcome, any Error>)
        /// A value in a notification or indication.
        case valueReceived(AttributeHandle, ArraySlice<UInt8>)
        case valueRead(AttributeHandle, Result<[UInt8], any Error>)
        case valueWritten(AttributeHandle, (any Error)?)
        case descriptorRead(AttributeHandle, Result<[UInt8], any Error>)
        case descriptorWritten(AttributeHandle, (any Error)?)
        /// Notifications or indications were enabled or disabled. An error leaves them unchanged.
        case notifyingSet(AttributeHandle, Result<Bool, any Error>)
        /// There is space again for writes without response.
        case readyToWrite
        /// The services in these ranges changed. The flag is `true` if the peripheral reported the
        /// change, and `false` if it was found by reading the table.
        case servicesModified([ClosedRange<AttributeHandle>], isReportedByPeer: Bool)
        /// An L2CAP channel was opened, or failed to open.
        case channelOpened(Result<OpenChannel, any Error>)
        /// The application requested a Channel Sounding session, which no adapter supports.
        case channelSoundingRefused
    }
}

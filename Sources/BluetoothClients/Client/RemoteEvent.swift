// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// An event of a peripheral. It identifies a characteristic by its value handle, and a descriptor
/// by its handle.
package enum RemoteEvent: Sendable {
    case nameChanged(String?)
    case rssiRead(Result<Int, ClientError>)
    /// The attributes that a search found. The case of the outcome corresponds to that of the
    /// search.
    case found(ClientSearch, Result<GATT.Outcome, ClientError>)
    /// A value in a notification or indication.
    case valueReceived(AttributeHandle, ArraySlice<UInt8>)
    case valueRead(AttributeHandle, Result<[UInt8], ClientError>)
    case valueWritten(AttributeHandle, ClientError?)
    case descriptorRead(AttributeHandle, Result<[UInt8], ClientError>)
    case descriptorWritten(AttributeHandle, ClientError?)
    /// Notifications or indications were enabled or disabled. An error leaves them unchanged.
    case notifyingSet(AttributeHandle, Result<Bool, ClientError>)
    /// There is space again for writes without response.
    case readyToWrite
    /// The services in these ranges changed. The flag is `true` if the peripheral reported the
    /// change, and `false` if it was found by reading the database.
    case servicesModified([ClosedRange<AttributeHandle>], isReportedByPeer: Bool)
    /// An L2CAP channel was opened, or failed to open.
    case channelOpened(Result<OpenChannel, ClientError>)
    /// The application requested a Channel Sounding session, which no adapter supports.
    case channelSoundingRefused
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT

/// What the adapter has to tell of one peripheral; it changes what the `CBPeripheral` shows, and becomes
/// a call of its delegate.
enum PeripheralEvent: Sendable {
    case nameChanged(String?)
    case mtuChanged(Int)
    case rssiRead(Result<Int, any Error>)
    /// A channel that was asked for is open, or is not.
    case channelOpened(Result<OpenChannel, any Error>)
    /// No adapter of ours measures distances.
    case channelSoundingRefused
}

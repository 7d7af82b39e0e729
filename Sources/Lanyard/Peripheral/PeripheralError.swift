// SPDX-License-Identifier: Apache-2.0

/// The reason why an ``AccessoryPeripheral`` did not deliver a value.
public enum PeripheralError: Error, Hashable, Sendable {
    /// No published characteristic that sends values has this UUID.
    case unknownCharacteristic(BluetoothID)
    /// The central is not subscribed to the characteristic, or no central is.
    case notSubscribed(BluetoothID)
    /// The value is longer than 512 bytes or than the link of a subscriber permits; both lengths
    /// are in bytes.
    case tooLong(length: Int, maximum: Int)
    /// Too many values already wait to be sent.
    case tooManyUpdates(limit: Int)
    /// A subscriber left, or did not confirm the value in time.
    case notDelivered
    /// The peripheral is closed.
    case closed
    /// The waiting task was canceled.
    case cancelled
}

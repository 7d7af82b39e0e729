// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What happens to an `AccessoryPeripheral`.
public enum PeripheralEvent: Hashable, Sendable {
    /// Whether there is Bluetooth has changed. Everything waits for it to be switched on.
    case availability(Availability)
    /// It is published, and is on the air.
    case advertising
    /// What was published and advertised before the process ended is there again.
    case restored
    /// A service could not be published, or none advertised, for this reason.
    case failed(String)
    /// A central listens: by its identifier and the characteristic.
    case subscribed(UUID, to: BluetoothID)
    /// It no longer does, or is gone.
    case unsubscribed(UUID, from: BluetoothID)
    /// A central has written a value.
    case written(UUID, BluetoothID, Data)
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An event of an ``AccessoryPeripheral``.
public enum PeripheralEvent: Hashable, Sendable {
    /// The availability of Bluetooth has changed. Nothing is published until Bluetooth is switched
    /// on.
    case availability(Availability)
    /// The services are published and advertised.
    case advertising
    /// The services of the earlier process were restored.
    case restored
    /// A service could not be published, the advertising failed, or a central got no channel, for
    /// this reason. The accessory is advertised only when all services are published.
    case failed(String)
    /// A central has subscribed: its identifier and the characteristic.
    case subscribed(UUID, to: BluetoothID)
    /// A central has unsubscribed or has left.
    case unsubscribed(UUID, from: BluetoothID)
    /// A central has written a value.
    case written(UUID, BluetoothID, Data)
}

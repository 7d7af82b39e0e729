// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// What a server must know of a characteristic to send its value unasked, and to know it again
/// after a restart.
struct CharacteristicRecord: Equatable, Sendable {
    let uuid: BluetoothUUID
    /// The UUID of the service that it is in.
    let service: BluetoothUUID
    let valueHandle: AttributeHandle
    let properties: GATT.CharacteristicProperties
    /// The Client Characteristic Configuration; nil if there is none.
    var configurationHandle: AttributeHandle?

    /// The bits that a client may set in the configuration (Vol 3, Part G, 3.3.3.3).
    var permittedConfiguration: UInt16 {
        (properties.contains(.notify) ? GATT.SubscriptionKind.notification.configuration : 0)
            | (properties.contains(.indicate) ? GATT.SubscriptionKind.indication.configuration : 0)
    }
}

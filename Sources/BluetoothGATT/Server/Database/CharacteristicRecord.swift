// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The information about a characteristic that the server needs to send its value, and to identify
/// the characteristic after a restart.
struct CharacteristicRecord: Equatable, Sendable {
    let uuid: BluetoothUUID
    /// The UUID of the service that contains the characteristic.
    let service: BluetoothUUID
    let valueHandle: AttributeHandle
    let properties: GATT.CharacteristicProperties
    /// The handle of the Client Characteristic Configuration descriptor, or `nil` if there is none.
    var configurationHandle: AttributeHandle?

    /// Whether the value describes this server, is the same for all clients, and must be readable
    /// without authentication: Device Name and Appearance (Vol 3, Part C, 12.1 and 12.2) and Server
    /// Supported Features (Vol 3, Part G, 7.4).
    var describesServer: Bool {
        switch service {
        case GATT.AttributeType.genericAccess:
            uuid == GATT.AttributeType.deviceName || uuid == GATT.AttributeType.appearance
        case GATT.AttributeType.genericAttribute:
            uuid == GATT.AttributeType.serverSupportedFeatures
        default: false
        }
    }

    /// The bits that a client may set in the configuration (Vol 3, Part G, 3.3.3.3).
    var permittedConfiguration: UInt16 {
        (properties.contains(.notify) ? GATT.SubscriptionKind.notification.configuration : 0)
            | (properties.contains(.indicate) ? GATT.SubscriptionKind.indication.configuration : 0)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes

/// Everything that was found on a peer: its services, what is in them, and the values that could
/// be read.
///
/// Handles are plain numbers here: this is a report, and nothing is asked of it.
struct Exploration: Equatable, Sendable {
    let address: DeviceAddress
    /// The name the device has for itself, or advertised; as it came, not escaped.
    var name: String?
    /// The ATT MTU of the link.
    var mtu: Int
    var services: [Service] = []

    /// A service, primary or secondary (Vol 3, Part G, 3.1).
    struct Service: Equatable, Sendable {
        let uuid: BluetoothUUID
        let isPrimary: Bool
        let handle: UInt16
        let endHandle: UInt16
        var includes: [Include] = []
        var characteristics: [Characteristic] = []
    }

    /// The mention of a service within another (Vol 3, Part G, 3.2).
    struct Include: Equatable, Sendable {
        /// Where the mention itself is.
        let handle: UInt16
        let uuid: BluetoothUUID
        let serviceHandle: UInt16
        let serviceEndHandle: UInt16
    }

    /// A characteristic (Vol 3, Part G, 3.3).
    struct Characteristic: Equatable, Sendable {
        let uuid: BluetoothUUID
        /// Where its declaration is.
        let handle: UInt16
        let valueHandle: UInt16
        let properties: GATT.CharacteristicProperties
        var value: Value = .notReadable
        var descriptors: [Descriptor] = []
    }

    /// A descriptor (Vol 3, Part G, 3.3.3).
    struct Descriptor: Equatable, Sendable {
        let uuid: BluetoothUUID
        let handle: UInt16
        var value: Value = .notReadable
    }

    /// What reading an attribute brought.
    enum Value: Equatable, Sendable {
        case bytes([UInt8])
        /// It does not offer to be read, and was not.
        case notReadable
        /// The peer refused, for this reason.
        case refused(String)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes

/// The services, characteristics and descriptors of a peer, with the values that could be read.
///
/// Handles are plain numbers here, because an exploration is not used for requests.
struct Exploration: Equatable, Sendable {
    let address: DeviceAddress
    /// The device name, or the advertised name. Not escaped.
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

    /// An include declaration (Vol 3, Part G, 3.2).
    struct Include: Equatable, Sendable {
        /// The handle of the include declaration.
        let handle: UInt16
        let uuid: BluetoothUUID
        let serviceHandle: UInt16
        let serviceEndHandle: UInt16
    }

    /// A characteristic (Vol 3, Part G, 3.3).
    struct Characteristic: Equatable, Sendable {
        let uuid: BluetoothUUID
        /// The handle of the characteristic declaration.
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

    /// The result of reading an attribute.
    enum Value: Equatable, Sendable {
        case bytes([UInt8])
        /// The attribute has no read property and was not read.
        case notReadable
        /// The peer refused the read for this reason.
        case refused(String)
    }
}

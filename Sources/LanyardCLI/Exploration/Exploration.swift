// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The services, characteristics and descriptors of a peer, with the values that could be read.
struct Exploration: Equatable, Sendable {
    let address: DeviceAddress
    /// The device name, or the advertised name. Not escaped.
    var name: String?
    /// The ATT MTU of the link.
    var mtu: Int
    var services: [GATT.DiscoveredService] = []
    /// The results of the reads. An attribute that is not readable was not read.
    var values: [AttributeHandle: Value] = [:]

    /// The result of reading an attribute.
    enum Value: Equatable, Sendable {
        case bytes([UInt8])
        /// The peer refused the read for this reason.
        case refused(String)
    }
}

extension GATT.DiscoveredCharacteristic {
    /// The handles of the value, if its properties include reading, and of all descriptors.
    var readableHandles: [AttributeHandle] {
        let value = characteristic.properties.contains(.read) ? [valueHandle] : []
        return value + descriptors.map(\.handle)
    }
}

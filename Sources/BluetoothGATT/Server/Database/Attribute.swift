// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// One row of a server's table (Vol 3, Part F, 3.2).
package struct Attribute: Equatable, Sendable {
    /// Where the value is.
    package enum Value: Equatable, Sendable {
        /// Here, and nobody but the server's own application changes it: declarations above all.
        case fixed([UInt8])
        /// Here; clients may change it, up to `maximumLength` octets.
        case stored([UInt8], maximumLength: Int)
        /// With the application, which is asked each time.
        case dynamic
        /// With each client's record: the Client Characteristic Configuration of the characteristic
        /// whose value has this handle.
        case clientConfiguration(AttributeHandle)
        /// With each client's record: Client Supported Features (Vol 3, Part G, 7.2).
        case clientSupportedFeatures
        /// Made from the table: Database Hash (Vol 3, Part G, 7.3).
        case databaseHash
    }

    package let handle: AttributeHandle
    package let type: BluetoothUUID
    package var permissions: GATT.Permissions
    package var value: Value

    package init(
        handle: AttributeHandle,
        type: BluetoothUUID,
        permissions: GATT.Permissions,
        value: Value
    ) {
        self.handle = handle
        self.type = type
        self.permissions = permissions
        self.value = value
    }

    /// Whether it says how the table is built and holds no value: declarations, and the hash of
    /// them, for which nobody may be asked for a key (Vol 3, Part G, 3.1 to 3.3.1 and 7.3).
    var isStructure: Bool { value == .databaseHash || Self.declarations.contains(type) }

    private static let declarations: Set = [
        GATT.AttributeType.primaryService, GATT.AttributeType.secondaryService,
        GATT.AttributeType.include, GATT.AttributeType.characteristic,
    ]
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A row of a server's database (Vol 3, Part F, 3.2).
package struct Attribute: Equatable, Sendable {
    /// The source of the value.
    package enum Value: Equatable, Sendable {
        /// The attribute contains the value, which does not change: a declaration, or Extended
        /// Properties.
        case fixed([UInt8])
        /// The attribute contains the value, and the permissions determine whether clients may
        /// change it. `maximumLength` is in bytes.
        case stored([UInt8], maximumLength: Int)
        /// The application provides the value for each request.
        case dynamic
        /// Each client's record contains the value: the Client Characteristic Configuration of the
        /// characteristic whose value has this handle.
        case clientConfiguration(AttributeHandle)
        /// Each client's record contains the value: Client Supported Features (Vol 3, Part G, 7.2).
        case clientSupportedFeatures
        /// The value is computed from the database: Database Hash (Vol 3, Part G, 7.3).
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

    /// Whether the attribute describes the structure of the database: declarations and the Database
    /// Hash. Clients may read these without authentication or authorization (Vol 3, Part G, 3.1 to
    /// 3.3.1 and 7.3).
    var isStructure: Bool { value == .databaseHash || Self.declarations.contains(type) }

    private static let declarations: Set = [
        GATT.AttributeType.primaryService, GATT.AttributeType.secondaryService,
        GATT.AttributeType.include, GATT.AttributeType.characteristic,
    ]
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// The definition of a service to publish.
    public struct ServiceDefinition: Hashable, Sendable {
        /// The UUID, which identifies the kind of service.
        public var uuid: BluetoothUUID

        /// Whether the service is a primary one. A secondary service is only used through the
        /// services that include it.
        public var isPrimary: Bool

        /// The services that the service includes, which must be published before it.
        public var includes: [ServiceReference]

        /// The characteristics, in the order of their handles.
        public var characteristics: [CharacteristicDefinition]

        /// The handle of the service's declaration, or `nil` for the next free one.
        public var handle: AttributeHandle?

        /// Creates the definition of a service.
        public init(
            _ uuid: BluetoothUUID,
            isPrimary: Bool = true,
            includes: [ServiceReference] = [],
            _ characteristics: [CharacteristicDefinition],
            handle: AttributeHandle? = nil
        ) {
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.includes = includes
            self.characteristics = characteristics
            self.handle = handle
        }
    }

    /// A reference to a published service, for including it.
    public enum ServiceReference: Hashable, Sendable {
        /// The first service with this UUID.
        case uuid(BluetoothUUID)
        /// The service whose declaration has this handle.
        case handle(AttributeHandle)
    }

    /// The definition of a characteristic of a service to publish.
    public struct CharacteristicDefinition: Hashable, Sendable {
        /// The UUID, which identifies the meaning of the value.
        public var uuid: BluetoothUUID

        /// The operations that clients discover for the value.
        public var properties: CharacteristicProperties

        /// The security required for each operation. The default permits the operations in
        /// `properties` without security.
        public var permissions: Permissions

        /// The source of the value.
        public var value: ValueSource

        /// The descriptors of the characteristic.
        ///
        /// The descriptors that the properties require (Extended Properties, Client and Server
        /// Characteristic Configuration) are added after these if they are missing.
        public var descriptors: [DescriptorDefinition]

        /// The handle of the declaration, which the value's handle follows, or `nil` for the next
        /// free one.
        public var handle: AttributeHandle?

        /// Creates the definition of a characteristic.
        public init(
            _ uuid: BluetoothUUID,
            _ properties: CharacteristicProperties,
            permissions: Permissions? = nil,
            value: ValueSource = .dynamic,
            descriptors: [DescriptorDefinition] = [],
            handle: AttributeHandle? = nil
        ) {
            self.uuid = uuid
            self.properties = properties
            self.permissions = permissions ?? Permissions(properties)
            self.value = value
            self.descriptors = descriptors
            self.handle = handle
        }
    }

    /// The definition of a descriptor of a characteristic to publish.
    public struct DescriptorDefinition: Hashable, Sendable {
        /// The UUID, which identifies the kind of descriptor.
        public var uuid: BluetoothUUID

        /// The security required for each operation. The default permits all clients to read.
        ///
        /// For some types the permissions are fixed (Vol 3, Part G, 3.3.3.1 and 3.3.3.3). All
        /// clients can read Extended Properties, and no client can write them. All clients can read
        /// a Client Characteristic Configuration, and a client that may subscribe can write it
        /// unless `write` requires more.
        public var permissions: Permissions

        /// The source of the value. It is ignored for a Client Characteristic Configuration, whose
        /// value is separate for each client.
        public var value: ValueSource

        /// The handle of the descriptor, or `nil` for the next free one.
        public var handle: AttributeHandle?

        /// Creates the definition of a descriptor.
        public init(
            _ uuid: BluetoothUUID,
            permissions: Permissions = .readable,
            value: ValueSource,
            handle: AttributeHandle? = nil
        ) {
            self.uuid = uuid
            self.permissions = permissions
            self.value = value
            self.handle = handle
        }

        /// Returns a Characteristic User Description that all clients can read (Vol 3, Part G,
        /// 3.3.3.2).
        ///
        /// - Parameter text: The description, at most 512 bytes of UTF-8.
        public static func userDescription(_ text: String) -> Self {
            Self(GATT.AttributeType.characteristicUserDescription, value: .stored(Array(text.utf8)))
        }
    }

    /// The source of an attribute's value.
    public enum ValueSource: Hashable, Sendable {
        /// The database of the server contains the value, and the server answers requests for it.
        ///
        /// A write by a client changes the value, and the application is informed. The application
        /// can also change the value. `maximumLength` is the maximum length after a write, up to
        /// 512 bytes.
        case stored([UInt8], maximumLength: Int = GATT.valueLengthLimit)
        /// The application answers each read and each write.
        case dynamic
    }
}

extension GATT.Permissions {
    /// Creates permissions for the operations of the properties, without security.
    public init(_ properties: GATT.CharacteristicProperties) {
        let writes: GATT.CharacteristicProperties = [
            .write, .writeWithoutResponse, .authenticatedSignedWrites,
        ]
        self.init(
            read: properties.contains(.read) ? .open : nil,
            write: properties.isDisjoint(with: writes) ? nil : .open
        )
    }
}

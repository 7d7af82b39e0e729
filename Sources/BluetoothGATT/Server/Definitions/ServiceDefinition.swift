// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A service that is to be published: what it is and what is in it.
    public struct ServiceDefinition: Hashable, Sendable {
        /// What the service is.
        public var uuid: BluetoothUUID

        /// Whether it stands for itself, or only has meaning where another service includes it.
        public var isPrimary: Bool

        /// The services that it includes. They must be published before it.
        public var includes: [ServiceReference]

        /// What is in it, in the order of handles.
        public var characteristics: [CharacteristicDefinition]

        /// The handle of its declaration; nil for the next one that is free.
        public var handle: AttributeHandle?

        /// Makes the definition of a service.
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

    /// Names a published service, to include it.
    public enum ServiceReference: Hashable, Sendable {
        /// The first service with this UUID.
        case uuid(BluetoothUUID)
        /// The service whose declaration has this handle.
        case handle(AttributeHandle)
    }

    /// A characteristic of a service that is to be published.
    public struct CharacteristicDefinition: Hashable, Sendable {
        /// What the value is.
        public var uuid: BluetoothUUID

        /// What clients are told can be done with the value.
        public var properties: CharacteristicProperties

        /// What can be done with it, by whom. By default what `properties` say, by everybody.
        public var permissions: Permissions

        /// Where the value comes from.
        public var value: ValueSource

        /// What else is said of the value. The descriptors that the properties call for (Extended
        /// Properties, Client and Server Characteristic Configuration) come by themselves, after
        /// these, if they are not among them.
        public var descriptors: [DescriptorDefinition]

        /// The handle of the declaration, which the value's follows; nil for the next one free.
        public var handle: AttributeHandle?

        /// Makes the definition of a characteristic.
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

    /// A descriptor of a characteristic that is to be published.
    public struct DescriptorDefinition: Hashable, Sendable {
        /// What the descriptor says.
        public var uuid: BluetoothUUID

        /// What can be done with it; by default reading, by everybody. Extended Properties can be
        /// read by everybody and written by nobody, whatever is said here. Everybody may read a
        /// Client Characteristic Configuration, and who may subscribe may write it, unless `write`
        /// asks for more (Vol 3, Part G, 3.3.3.1 and 3.3.3.3).
        public var permissions: Permissions

        /// Where the value comes from. Not looked at for a Client Characteristic Configuration,
        /// whose value each client has for itself.
        public var value: ValueSource

        /// Its handle; nil for the next one free.
        public var handle: AttributeHandle?

        /// Makes the definition of a descriptor.
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
    }

    /// Where an attribute's value comes from.
    public enum ValueSource: Hashable, Sendable {
        /// The server keeps the value, and answers by itself. A write replaces it, and the
        /// application is told; nobody but the application changes one that cannot be written.
        /// `maximumLength` is the longest value that a write may make it, up to 512 octets.
        case stored([UInt8], maximumLength: Int = GATT.valueLengthLimit)
        /// The application answers each read and each write.
        case dynamic
    }
}

extension GATT.Permissions {
    /// What the properties announce, for everybody.
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

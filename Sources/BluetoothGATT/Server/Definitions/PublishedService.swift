// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A service that is published: its definition has found its handles.
    public struct PublishedService: Hashable, Sendable {
        /// What clients find when they discover the service.
        public let service: Service

        /// What they find in it, in the order of the definition.
        public let characteristics: [PublishedCharacteristic]

        package init(service: Service, characteristics: [PublishedCharacteristic]) {
            self.service = service
            self.characteristics = characteristics
        }

        /// The first characteristic with this UUID; nil if there is none.
        public func characteristic(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
            characteristics.first { $0.characteristic.uuid == uuid }
        }
    }

    /// A characteristic of a published service.
    public struct PublishedCharacteristic: Hashable, Sendable {
        /// What clients find when they discover the characteristic.
        public let characteristic: Characteristic

        /// Its descriptors, in the order of their handles.
        public let descriptors: [Descriptor]

        package init(characteristic: Characteristic, descriptors: [Descriptor]) {
            self.characteristic = characteristic
            self.descriptors = descriptors
        }

        /// The handle of the value.
        public var valueHandle: AttributeHandle { characteristic.valueHandle }
    }

    /// Why a service cannot be published.
    public enum DefinitionError: Error, Hashable, Sendable {
        /// A handle is taken, lies before the one before it, or is 0.
        case handleNotFree(AttributeHandle)
        /// No run of handles is free that is long enough.
        case tableFull
        /// An included service is not published.
        case unknownInclude(ServiceReference)
        /// The value is longer than 512 octets, or than the length that its definition allows.
        case valueTooLong(BluetoothUUID)
        /// A characteristic has a descriptor twice of which there can be one only.
        case duplicateDescriptor(BluetoothUUID)
        /// The service is one that every server has (Generic Access, Generic Attribute), and there
        /// is one already that can no longer be replaced, or that cannot be taken away.
        case reserved(BluetoothUUID)
        /// No service with that handle is published, or no attribute.
        case notPublished(AttributeHandle)
        /// The attribute's value is not the server's to keep, or not to be changed.
        case notStored(AttributeHandle)
        /// The service cannot go: an include declaration with that handle refers to it.
        case stillIncluded(by: AttributeHandle)
    }
}

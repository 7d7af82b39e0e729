// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A published service with its handles.
    public struct PublishedService: Hashable, Sendable {
        /// The service as clients discover it.
        public let service: Service

        /// The service's characteristics, in the order of the definition.
        public let characteristics: [PublishedCharacteristic]

        package init(service: Service, characteristics: [PublishedCharacteristic]) {
            self.service = service
            self.characteristics = characteristics
        }

        /// Returns the first characteristic with this UUID, or nil if there is none.
        public func characteristic(_ uuid: BluetoothUUID) -> PublishedCharacteristic? {
            characteristics.first { $0.characteristic.uuid == uuid }
        }
    }

    /// A characteristic of a published service.
    public struct PublishedCharacteristic: Hashable, Sendable {
        /// The characteristic as clients discover it.
        public let characteristic: Characteristic

        /// The descriptors, in the order of their handles.
        public let descriptors: [Descriptor]

        package init(characteristic: Characteristic, descriptors: [Descriptor]) {
            self.characteristic = characteristic
            self.descriptors = descriptors
        }

        /// The handle of the value.
        public var valueHandle: AttributeHandle { characteristic.valueHandle }
    }

    /// The reason why a service cannot be published, changed or removed.
    public enum DefinitionError: Error, Hashable, Sendable {
        /// A handle is in use, is not greater than the previous one, or is 0.
        case handleNotFree(AttributeHandle)
        /// No free range of handles is large enough.
        case tableFull
        /// An included service is not published.
        case unknownInclude(ServiceReference)
        /// The value is longer than 512 bytes, or longer than its definition allows.
        case valueTooLong(BluetoothUUID)
        /// A characteristic has two descriptors of a type that is allowed only once.
        case duplicateDescriptor(BluetoothUUID)
        /// The service is Generic Access or Generic Attribute. It cannot be removed, and can no
        /// longer be replaced.
        case reserved(BluetoothUUID)
        /// No service or no attribute with this handle is published.
        case notPublished(AttributeHandle)
        /// The attribute's value is not in the database, or cannot be changed.
        case notStored(AttributeHandle)
        /// The service cannot be removed, because the include declaration with this handle refers
        /// to it.
        case stillIncluded(by: AttributeHandle)
    }
}

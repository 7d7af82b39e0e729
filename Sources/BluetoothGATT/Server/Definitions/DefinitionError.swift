// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// The reason why a service cannot be published, changed or removed.
    public enum DefinitionError: Error, Hashable, Sendable {
        /// A handle is in use, is not greater than the previous one, or is 0.
        case handleNotFree(AttributeHandle)
        /// No sufficient range of handles is free.
        case tableFull
        /// An included service is not published.
        case unknownInclude(ServiceReference)
        /// The value is longer than 512 bytes, or longer than its definition allows.
        case valueTooLong(BluetoothUUID)
        /// A characteristic has two descriptors of a type that is allowed only once.
        case duplicateDescriptor(BluetoothUUID)
        /// The service is Generic Access or Generic Attribute, and the existing one can no longer
        /// be replaced or cannot be removed.
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A characteristic: a declaration, its value, and the value's descriptors (Vol 3, Part G,
    /// 3.3).
    public struct Characteristic: Hashable, Sendable {
        /// The UUID, which identifies the meaning of the value.
        public let uuid: BluetoothUUID

        /// The handle of the declaration.
        public let handle: AttributeHandle

        /// The handle of the value, for reading and writing. It is greater than `handle`.
        public let valueHandle: AttributeHandle

        /// The operations that the server declares for the value. The server may still refuse them,
        /// because a declaration does not include permissions.
        public let properties: CharacteristicProperties

        /// The last handle that belongs to the characteristic: the handle before the next
        /// declaration, or the end of the service or of the searched range. It is not less than
        /// `valueHandle`, and an attribute with this handle need not exist.
        public let endHandle: AttributeHandle

        /// Creates a characteristic with the attributes from `handle` to `endHandle`.
        ///
        /// - Precondition: `handle < valueHandle && valueHandle <= endHandle`.
        public init(
            uuid: BluetoothUUID,
            handle: AttributeHandle,
            valueHandle: AttributeHandle,
            properties: CharacteristicProperties,
            endHandle: AttributeHandle
        ) {
            precondition(handle < valueHandle, "the value must follow its declaration")
            precondition(valueHandle <= endHandle, "the characteristic ends before its value")
            self.uuid = uuid
            self.handle = handle
            self.valueHandle = valueHandle
            self.properties = properties
            self.endHandle = endHandle
        }

        /// The range of handles that descriptors can have, or `nil` if it is empty.
        public var descriptorHandles: ClosedRange<AttributeHandle>? {
            guard let first = valueHandle.next, first <= endHandle else { return nil }
            return first...endHandle
        }

        /// The kind of subscription if the application specifies none: notification if the
        /// characteristic supports both, and `nil` if it supports neither.
        package var subscriptionKind: SubscriptionKind? {
            if properties.contains(.notify) { return .notification }
            return properties.contains(.indicate) ? .indication : nil
        }
    }
}

extension GATT {
    /// An attribute with information about a characteristic's value (Vol 3, Part G, 3.3.3).
    public struct Descriptor: Hashable, Sendable {
        /// The UUID, which identifies the kind of descriptor.
        public let uuid: BluetoothUUID

        /// The handle for reading and writing.
        public let handle: AttributeHandle

        /// Creates a descriptor.
        public init(uuid: BluetoothUUID, handle: AttributeHandle) {
            self.uuid = uuid
            self.handle = handle
        }
    }
}

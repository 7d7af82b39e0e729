// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A service: a run of attributes that begins with its declaration
    /// (Vol 3, Part G, 3.1).
    public struct Service: Hashable, Sendable {
        /// What the service is.
        public let uuid: BluetoothUUID

        /// Whether it stands for itself; a secondary service only has meaning where another
        /// service includes it.
        public let isPrimary: Bool

        /// The handle of its declaration.
        public let handle: AttributeHandle

        /// The handle of its last attribute; not less than `handle`.
        public let endHandle: AttributeHandle

        /// Makes a service of the attributes from `handle` to `endHandle`.
        public init(
            uuid: BluetoothUUID,
            isPrimary: Bool,
            handle: AttributeHandle,
            endHandle: AttributeHandle
        ) {
            precondition(handle <= endHandle, "a service ends before it begins")
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.handle = handle
            self.endHandle = endHandle
        }

        /// Every handle of the service.
        public var handles: ClosedRange<AttributeHandle> { handle...endHandle }
    }
}

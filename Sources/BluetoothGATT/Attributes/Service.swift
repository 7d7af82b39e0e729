// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A service: a range of attributes that starts with the service's declaration (Vol 3, Part G,
    /// 3.1).
    public struct Service: Hashable, Sendable {
        /// The UUID, which identifies the kind of service.
        public let uuid: BluetoothUUID

        /// Whether the service is a primary one. A secondary service is only used through the
        /// services that include it.
        public let isPrimary: Bool

        /// The handle of the service's declaration.
        public let handle: AttributeHandle

        /// The handle of the service's last attribute, which is not less than `handle`.
        public let endHandle: AttributeHandle

        /// Creates a service with the attributes from `handle` to `endHandle`.
        public init(
            uuid: BluetoothUUID,
            isPrimary: Bool,
            handle: AttributeHandle,
            endHandle: AttributeHandle
        ) {
            precondition(handle <= endHandle, "the service ends before its declaration")
            self.uuid = uuid
            self.isPrimary = isPrimary
            self.handle = handle
            self.endHandle = endHandle
        }

        /// The range of the service's handles.
        public var handles: ClosedRange<AttributeHandle> { handle...endHandle }
    }
}

extension GATT {
    /// A reference from one service to another, elsewhere in the database (Vol 3, Part G, 3.2).
    public struct IncludedService: Hashable, Sendable {
        /// The handle of the include declaration, which is part of the referring service.
        public let handle: AttributeHandle

        /// The service to which the declaration refers.
        ///
        /// An include declaration does not state whether the service is primary. The service counts
        /// as primary if the client knows it as such, from a discovery on this link or from a
        /// database that is still valid.
        public let service: Service

        /// Creates a reference at `handle` to `service`.
        public init(handle: AttributeHandle, service: Service) {
            self.handle = handle
            self.service = service
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// A reference from one service to another, elsewhere in the database (Vol 3, Part G, 3.2).
    public struct IncludedService: Hashable, Sendable {
        /// The handle of the include declaration, which is part of the referring service.
        public let handle: AttributeHandle

        /// The service to which the declaration refers.
        ///
        /// An include declaration does not state whether the service is primary. It is considered
        /// primary if a discovery of primary services has found it earlier on this link.
        public let service: Service

        /// Creates a reference at `handle` to `service`.
        public init(handle: AttributeHandle, service: Service) {
            self.handle = handle
            self.service = service
        }
    }
}

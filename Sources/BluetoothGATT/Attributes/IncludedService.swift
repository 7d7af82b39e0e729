// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// One service's reference to another, which lies elsewhere in the table
    /// (Vol 3, Part G, 3.2).
    public struct IncludedService: Hashable, Sendable {
        /// The handle of the include declaration, inside the service that includes.
        public let handle: AttributeHandle

        /// The service referred to.
        ///
        /// An include declaration does not say whether it refers to a primary service. It counts
        /// as primary if a discovery of primary services has found it on this link before.
        public let service: Service

        /// Makes a reference at `handle` to `service`.
        public init(handle: AttributeHandle, service: Service) {
            self.handle = handle
            self.service = service
        }
    }
}

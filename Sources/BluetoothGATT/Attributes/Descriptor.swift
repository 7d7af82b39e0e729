// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

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

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// An attribute that says more about a characteristic's value (Vol 3, Part G, 3.3.3).
    public struct Descriptor: Hashable, Sendable {
        /// What the descriptor says.
        public let uuid: BluetoothUUID

        /// The handle to read and write.
        public let handle: AttributeHandle

        /// Makes a descriptor.
        public init(uuid: BluetoothUUID, handle: AttributeHandle) {
            self.uuid = uuid
            self.handle = handle
        }
    }
}

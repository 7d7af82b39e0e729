// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// A value and the attribute that it was read from, or is to be written to.
    public struct AttributeValue: Hashable, Sendable {
        /// The attribute.
        public let handle: AttributeHandle

        /// Its octets; at most `GATT.valueLengthLimit`.
        public let value: [UInt8]

        /// Pairs a value with its attribute.
        public init(handle: AttributeHandle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }
}

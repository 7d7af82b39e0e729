// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

extension GATT {
    /// A value and its attribute, for reading or writing.
    public struct AttributeValue: Hashable, Sendable {
        /// The handle of the attribute.
        public let handle: AttributeHandle

        /// The bytes of the value, at most `GATT.valueLengthLimit`.
        public let value: [UInt8]

        /// Creates a value with its attribute.
        public init(handle: AttributeHandle, value: [UInt8]) {
            self.handle = handle
            self.value = value
        }
    }
}

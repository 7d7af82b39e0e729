// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension GATT {
    /// A characteristic: a declaration, the value it announces, and the value's descriptors
    /// (Vol 3, Part G, 3.3).
    public struct Characteristic: Hashable, Sendable {
        /// What the value is.
        public let uuid: BluetoothUUID

        /// The handle of the declaration.
        public let handle: AttributeHandle

        /// The handle to read and write: that of the value. Greater than `handle`.
        public let valueHandle: AttributeHandle

        /// What the server says can be done with the value. It may still refuse: permissions are
        /// not declared.
        public let properties: CharacteristicProperties

        /// The handle of the characteristic's last attribute: the one before the next declaration,
        /// or the end of the range that was searched. Not less than `valueHandle`.
        public let endHandle: AttributeHandle

        /// Makes a characteristic of the attributes from `handle` to `endHandle`.
        public init(
            uuid: BluetoothUUID,
            handle: AttributeHandle,
            valueHandle: AttributeHandle,
            properties: CharacteristicProperties,
            endHandle: AttributeHandle
        ) {
            precondition(handle < valueHandle, "a value lies before its declaration")
            precondition(valueHandle <= endHandle, "a characteristic ends before its value")
            self.uuid = uuid
            self.handle = handle
            self.valueHandle = valueHandle
            self.properties = properties
            self.endHandle = endHandle
        }

        /// The handles at which descriptors can lie; nil if there is no room for one.
        public var descriptorHandles: ClosedRange<AttributeHandle>? {
            guard let first = valueHandle.next, first <= endHandle else { return nil }
            return first...endHandle
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension GATT {
    /// The attribute types that the profile itself gives meaning to
    /// (Vol 3, Part G, 3.4; numbers from Assigned Numbers, 3.6 to 3.8).
    public enum AttributeType {
        /// The service of the profile itself (Vol 3, Part G, 7).
        public static let genericAttribute = BluetoothUUID(0x1801)
        /// Declares a primary service.
        public static let primaryService = BluetoothUUID(0x2800)
        /// Declares a secondary service.
        public static let secondaryService = BluetoothUUID(0x2801)
        /// Refers to another service.
        public static let include = BluetoothUUID(0x2802)
        /// Declares a characteristic.
        public static let characteristic = BluetoothUUID(0x2803)
        /// Holds the properties that the declaration has no bits for.
        public static let characteristicExtendedProperties = BluetoothUUID(0x2900)
        /// Describes the value in words.
        public static let characteristicUserDescription = BluetoothUUID(0x2901)
        /// Switches notifications and indications on and off, for each client on its own.
        public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902)
        /// Switches broadcasting on and off, for all clients.
        public static let serverCharacteristicConfiguration = BluetoothUUID(0x2903)
        /// Says what the octets of the value mean.
        public static let characteristicPresentationFormat = BluetoothUUID(0x2904)
        /// Lists the formats of a value that consists of several.
        public static let characteristicAggregateFormat = BluetoothUUID(0x2905)
        /// Tells which part of the table is no longer as it was (Vol 3, Part G, 7.1).
        public static let serviceChanged = BluetoothUUID(0x2A05)
    }
}

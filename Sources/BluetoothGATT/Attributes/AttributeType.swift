// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension GATT {
    /// The attribute types that the profile itself gives meaning to
    /// (Vol 3, Part G, 3.4; numbers from Assigned Numbers, 3.6 to 3.8).
    public enum AttributeType {
        /// The service that says what a device is called and looks like (Vol 3, Part C, 12).
        public static let genericAccess = BluetoothUUID(0x1800)
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
        /// Takes what a client can do (Vol 3, Part G, 7.2).
        public static let clientSupportedFeatures = BluetoothUUID(0x2B29)
        /// Tells one table from another (Vol 3, Part G, 7.3).
        public static let databaseHash = BluetoothUUID(0x2B2A)
        /// Tells what a server can do (Vol 3, Part G, 7.4).
        public static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
        /// How a device is called (Vol 3, Part C, 12.1).
        public static let deviceName = BluetoothUUID(0x2A00)
        /// What a device looks like (Vol 3, Part C, 12.2).
        public static let appearance = BluetoothUUID(0x2A01)
        /// The connection parameters that a peripheral likes best (Vol 3, Part C, 12.3).
        public static let preferredConnectionParameters = BluetoothUUID(0x2A04)
    }
}

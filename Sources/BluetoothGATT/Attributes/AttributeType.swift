// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension GATT {
    /// UUIDs of services, declarations, descriptors and characteristics that GATT and GAP define
    /// (Vol 3, Part G, 3.4; numbers from Assigned Numbers, 3.4 to 3.8).
    public enum AttributeType {
        /// The service with the name and the appearance of a device (Vol 3, Part C, 12).
        public static let genericAccess = BluetoothUUID(0x1800)
        /// The service with information about the GATT server itself (Vol 3, Part G, 7).
        public static let genericAttribute = BluetoothUUID(0x1801)
        /// The declaration of a primary service.
        public static let primaryService = BluetoothUUID(0x2800)
        /// The declaration of a secondary service.
        public static let secondaryService = BluetoothUUID(0x2801)
        /// The declaration of an include, which refers to another service.
        public static let include = BluetoothUUID(0x2802)
        /// The declaration of a characteristic.
        public static let characteristic = BluetoothUUID(0x2803)
        /// The descriptor with the properties that have no bit in the declaration.
        public static let characteristicExtendedProperties = BluetoothUUID(0x2900)
        /// The descriptor with a description of the value for the user.
        public static let characteristicUserDescription = BluetoothUUID(0x2901)
        /// The descriptor that turns notifications and indications on and off, separately for each
        /// client.
        public static let clientCharacteristicConfiguration = BluetoothUUID(0x2902)
        /// The descriptor that turns broadcasting on and off for all clients.
        public static let serverCharacteristicConfiguration = BluetoothUUID(0x2903)
        /// The descriptor with the format of the value.
        public static let characteristicPresentationFormat = BluetoothUUID(0x2904)
        /// The descriptor with the list of formats for a value that consists of several parts.
        public static let characteristicAggregateFormat = BluetoothUUID(0x2905)
        /// The characteristic that indicates the changed part of the database (Vol 3, Part G, 7.1).
        public static let serviceChanged = BluetoothUUID(0x2A05)
        /// The characteristic to which a client writes the features that it supports (Vol 3, Part
        /// G, 7.2).
        public static let clientSupportedFeatures = BluetoothUUID(0x2B29)
        /// The characteristic with a hash that identifies the database (Vol 3, Part G, 7.3).
        public static let databaseHash = BluetoothUUID(0x2B2A)
        /// The characteristic with the features that a server supports (Vol 3, Part G, 7.4).
        public static let serverSupportedFeatures = BluetoothUUID(0x2B3A)
        /// The characteristic with the name of a device (Vol 3, Part C, 12.1).
        public static let deviceName = BluetoothUUID(0x2A00)
        /// The characteristic with the appearance of a device (Vol 3, Part C, 12.2).
        public static let appearance = BluetoothUUID(0x2A01)
        /// The characteristic with a peripheral's preferred connection parameters (Vol 3, Part C,
        /// 12.3).
        public static let preferredConnectionParameters = BluetoothUUID(0x2A04)
        /// The characteristic that states whether a device resolves its private address in directed
        /// advertising (Vol 3, Part C, 12.4).
        public static let centralAddressResolution = BluetoothUUID(0x2AA6)
    }
}

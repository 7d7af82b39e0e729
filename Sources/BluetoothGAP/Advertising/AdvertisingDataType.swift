// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension AdvertisingData {
    /// The meaning of a structure's value (Assigned Numbers, 2.3, "Common Data Types").
    public struct DataType: OpenCode {
        /// The number in the data.
        public let rawValue: UInt8

        /// Creates a type from any number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Discoverability and BR/EDR support.
        public static let flags = DataType(rawValue: 0x01)
        /// Some of the device's 16-bit service UUIDs.
        public static let incompleteServiceUUIDs16 = DataType(rawValue: 0x02)
        /// All of the device's 16-bit service UUIDs.
        public static let completeServiceUUIDs16 = DataType(rawValue: 0x03)
        /// Some of the device's 32-bit service UUIDs.
        public static let incompleteServiceUUIDs32 = DataType(rawValue: 0x04)
        /// All of the device's 32-bit service UUIDs.
        public static let completeServiceUUIDs32 = DataType(rawValue: 0x05)
        /// Some of the device's 128-bit service UUIDs.
        public static let incompleteServiceUUIDs128 = DataType(rawValue: 0x06)
        /// All of the device's 128-bit service UUIDs.
        public static let completeServiceUUIDs128 = DataType(rawValue: 0x07)
        /// The beginning of the device's name.
        public static let shortenedLocalName = DataType(rawValue: 0x08)
        /// The device's whole name.
        public static let completeLocalName = DataType(rawValue: 0x09)
        /// The transmit power.
        public static let txPowerLevel = DataType(rawValue: 0x0A)
        /// The connection intervals that the peripheral prefers.
        public static let peripheralConnectionIntervalRange = DataType(rawValue: 0x12)
        /// 16-bit UUIDs of the services that the peripheral solicits.
        public static let solicitedServiceUUIDs16 = DataType(rawValue: 0x14)
        /// 128-bit UUIDs of the services that the peripheral solicits.
        public static let solicitedServiceUUIDs128 = DataType(rawValue: 0x15)
        /// The data of a service with a 16-bit UUID.
        public static let serviceData16 = DataType(rawValue: 0x16)
        /// Public addresses of the devices that the advertisement is intended for.
        public static let publicTargetAddress = DataType(rawValue: 0x17)
        /// Random addresses of the devices that the advertisement is intended for.
        public static let randomTargetAddress = DataType(rawValue: 0x18)
        /// The appearance of the device.
        public static let appearance = DataType(rawValue: 0x19)
        /// The advertising interval in 16 bits.
        public static let advertisingInterval = DataType(rawValue: 0x1A)
        /// The device's address with its type.
        public static let deviceAddress = DataType(rawValue: 0x1B)
        /// The roles of the device.
        public static let role = DataType(rawValue: 0x1C)
        /// 32-bit UUIDs of the services that the peripheral solicits.
        public static let solicitedServiceUUIDs32 = DataType(rawValue: 0x1F)
        /// The data of a service with a 32-bit UUID.
        public static let serviceData32 = DataType(rawValue: 0x20)
        /// The data of a service with a 128-bit UUID.
        public static let serviceData128 = DataType(rawValue: 0x21)
        /// A URI with an abbreviated scheme.
        public static let uri = DataType(rawValue: 0x24)
        /// The Link Layer features of the device.
        public static let supportedFeatures = DataType(rawValue: 0x27)
        /// The advertising interval in 24 or 32 bits.
        public static let advertisingIntervalLong = DataType(rawValue: 0x2F)
        /// The name of a broadcast.
        public static let broadcastName = DataType(rawValue: 0x30)
        /// Encrypted advertising data.
        public static let encryptedData = DataType(rawValue: 0x31)
        /// A company identifier and the data of that company.
        public static let manufacturerData = DataType(rawValue: 0xFF)

        /// The names of the assigned types.
        public static let names: [UInt8: String] = [
            0x01: "Flags",
            0x02: "Incomplete List of 16-bit Service UUIDs",
            0x03: "Complete List of 16-bit Service UUIDs",
            0x04: "Incomplete List of 32-bit Service UUIDs",
            0x05: "Complete List of 32-bit Service UUIDs",
            0x06: "Incomplete List of 128-bit Service UUIDs",
            0x07: "Complete List of 128-bit Service UUIDs",
            0x08: "Shortened Local Name",
            0x09: "Complete Local Name",
            0x0A: "Tx Power Level",
            0x0D: "Class of Device",
            0x0E: "Simple Pairing Hash C-192",
            0x0F: "Simple Pairing Randomizer R-192",
            0x10: "Security Manager TK Value",
            0x11: "Security Manager Out of Band Flags",
            0x12: "Peripheral Connection Interval Range",
            0x14: "List of 16-bit Service Solicitation UUIDs",
            0x15: "List of 128-bit Service Solicitation UUIDs",
            0x16: "Service Data - 16-bit UUID",
            0x17: "Public Target Address",
            0x18: "Random Target Address",
            0x19: "Appearance",
            0x1A: "Advertising Interval",
            0x1B: "LE Bluetooth Device Address",
            0x1C: "LE Role",
            0x1D: "Simple Pairing Hash C-256",
            0x1E: "Simple Pairing Randomizer R-256",
            0x1F: "List of 32-bit Service Solicitation UUIDs",
            0x20: "Service Data - 32-bit UUID",
            0x21: "Service Data - 128-bit UUID",
            0x22: "LE Secure Connections Confirmation Value",
            0x23: "LE Secure Connections Random Value",
            0x24: "URI",
            0x25: "Indoor Positioning",
            0x26: "Transport Discovery Data",
            0x27: "LE Supported Features",
            0x28: "Channel Map Update Indication",
            0x29: "PB-ADV",
            0x2A: "Mesh Message",
            0x2B: "Mesh Beacon",
            0x2C: "BIGInfo",
            0x2D: "Broadcast_Code",
            0x2E: "Resolvable Set Identifier",
            0x2F: "Advertising Interval - long",
            0x30: "Broadcast_Name",
            0x31: "Encrypted Advertising Data",
            0x32: "Periodic Advertising Response Timing Information",
            0x34: "Electronic Shelf Label",
            0x3D: "3D Information Data",
            0xFF: "Manufacturer Specific Data",
        ]
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A type of legacy advertisement (Vol 4, Part E, 7.8.5).
    package struct AdvertisingType: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let connectableUndirected = AdvertisingType(rawValue: 0x00)
        package static let directedHighDutyCycle = AdvertisingType(rawValue: 0x01)
        package static let scannable = AdvertisingType(rawValue: 0x02)
        package static let nonConnectable = AdvertisingType(rawValue: 0x03)
        package static let directedLowDutyCycle = AdvertisingType(rawValue: 0x04)

        package static let names: [UInt8: String] = [
            0x00: "connectable",
            0x01: "directed, high duty cycle",
            0x02: "scannable",
            0x03: "non-connectable",
            0x04: "directed, low duty cycle",
        ]
    }

    /// The requests that an advertiser limits to the devices on the Filter Accept List (Vol 4, Part
    /// E, 7.8.5).
    package struct AdvertisingFilterPolicy: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let unfiltered = AdvertisingFilterPolicy(rawValue: 0x00)
        package static let scanFiltered = AdvertisingFilterPolicy(rawValue: 0x01)
        package static let connectFiltered = AdvertisingFilterPolicy(rawValue: 0x02)
        package static let filtered = AdvertisingFilterPolicy(rawValue: 0x03)

        package static let names: [UInt8: String] = [
            0x00: "unfiltered",
            0x01: "scan requests filtered",
            0x02: "connection requests filtered",
            0x03: "all requests filtered",
        ]
    }

    /// The position of a fragment within the data of an advertising set (Vol 4, Part E, 7.8.54).
    package struct DataOperation: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let intermediate = DataOperation(rawValue: 0x00)
        package static let first = DataOperation(rawValue: 0x01)
        package static let last = DataOperation(rawValue: 0x02)
        package static let complete = DataOperation(rawValue: 0x03)
        package static let unchanged = DataOperation(rawValue: 0x04)

        package static let names: [UInt8: String] = [
            0x00: "intermediate",
            0x01: "first",
            0x02: "last",
            0x03: "complete",
            0x04: "unchanged",
        ]
    }

    /// The permission for the controller to fragment the data over several packets (Vol 4, Part E,
    /// 7.8.54).
    package struct FragmentPreference: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let mayFragment = FragmentPreference(rawValue: 0x00)
        package static let shouldNotFragment = FragmentPreference(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "may fragment",
            0x01: "should not fragment",
        ]
    }

    /// The primary channels on which the controller advertises (Vol 4, Part E, 7.8.5).
    package struct AdvertisingChannels: BitSet {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let channel37 = AdvertisingChannels(rawValue: 1 << 0)
        package static let channel38 = AdvertisingChannels(rawValue: 1 << 1)
        package static let channel39 = AdvertisingChannels(rawValue: 1 << 2)
        package static let all: AdvertisingChannels = [.channel37, .channel38, .channel39]

        package static let bitNames: [UInt8: String] = [
            1 << 0: "channel37",
            1 << 1: "channel38",
            1 << 2: "channel39",
        ]
    }

    /// The properties of an advertising set: connectable, scannable, directed, and its form on the
    /// air (Vol 4, Part E, 7.8.53).
    package struct AdvertisingProperties: BitSet {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let connectable = AdvertisingProperties(rawValue: 1 << 0)
        package static let scannable = AdvertisingProperties(rawValue: 1 << 1)
        package static let directed = AdvertisingProperties(rawValue: 1 << 2)
        package static let highDutyCycle = AdvertisingProperties(rawValue: 1 << 3)
        package static let legacy = AdvertisingProperties(rawValue: 1 << 4)
        package static let anonymous = AdvertisingProperties(rawValue: 1 << 5)
        package static let includesTransmitPower = AdvertisingProperties(rawValue: 1 << 6)

        /// Whether the packets can carry advertising data: all except ADV_DIRECT_IND and scannable
        /// extended packets, whose data is in the scan response.
        package var carriesData: Bool {
            contains(.legacy) ? !contains(.directed) : !contains(.scannable)
        }

        package static let bitNames: [UInt16: String] = [
            1 << 0: "connectable",
            1 << 1: "scannable",
            1 << 2: "directed",
            1 << 3: "highDutyCycle",
            1 << 4: "legacy",
            1 << 5: "anonymous",
            1 << 6: "includesTransmitPower",
        ]
    }
}

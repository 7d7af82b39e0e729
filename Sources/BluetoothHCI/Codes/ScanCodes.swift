// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// The type of scanning: active scanning requests scan responses (Vol 4, Part E, 7.8.10).
    package struct ScanType: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let passive = ScanType(rawValue: 0x00)
        package static let active = ScanType(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "passive",
            0x01: "active",
        ]
    }

    /// The advertisements that the controller reports (Vol 4, Part E, 7.8.10). The extended
    /// policies also include directed advertisements whose target is a resolvable private address
    /// that the controller cannot resolve.
    package struct ScanFilterPolicy: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let unfiltered = ScanFilterPolicy(rawValue: 0x00)
        package static let filterAcceptList = ScanFilterPolicy(rawValue: 0x01)
        package static let unfilteredExtended = ScanFilterPolicy(rawValue: 0x02)
        package static let filterAcceptListExtended = ScanFilterPolicy(rawValue: 0x03)

        package static let names: [UInt8: String] = [
            0x00: "unfiltered",
            0x01: "Filter Accept List",
            0x02: "extended, unfiltered",
            0x03: "extended, Filter Accept List",
        ]
    }

    /// The peers to which the controller connects (Vol 4, Part E, 7.8.12).
    package struct InitiatorFilterPolicy: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let peerAddress = InitiatorFilterPolicy(rawValue: 0x00)
        package static let filterAcceptList = InitiatorFilterPolicy(rawValue: 0x01)

        package static let names: [UInt8: String] = [
            0x00: "peer address",
            0x01: "Filter Accept List",
        ]
    }

    /// The setting of the filter for duplicate advertising reports (Vol 4, Part E, 7.8.65).
    package struct DuplicateFilter: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let off = DuplicateFilter(rawValue: 0x00)
        package static let on = DuplicateFilter(rawValue: 0x01)
        package static let onResetEachPeriod = DuplicateFilter(rawValue: 0x02)

        package static let names: [UInt8: String] = [
            0x00: "off",
            0x01: "on",
            0x02: "on, reset each period",
        ]
    }

    /// The type of a legacy advertisement that the controller received (Vol 4, Part E, 7.7.65.2).
    package struct AdvertisingReportType: OpenCode, HCIParameters {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let connectable = AdvertisingReportType(rawValue: 0x00)
        package static let connectableDirected = AdvertisingReportType(rawValue: 0x01)
        package static let scannable = AdvertisingReportType(rawValue: 0x02)
        package static let nonConnectable = AdvertisingReportType(rawValue: 0x03)
        package static let scanResponse = AdvertisingReportType(rawValue: 0x04)

        package static let names: [UInt8: String] = [
            0x00: "ADV_IND",
            0x01: "ADV_DIRECT_IND",
            0x02: "ADV_SCAN_IND",
            0x03: "ADV_NONCONN_IND",
            0x04: "SCAN_RSP",
        ]
    }
}

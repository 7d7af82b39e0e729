// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

extension TestHost {
    /// Returns legacy scan parameters with default values for tests.
    static func scanParameters(
        _ type: HCI.ScanType = .passive,
        interval: UInt16 = 0x10,
        window: UInt16 = 0x10,
        own: HCI.OwnAddressType = .public,
        policy: HCI.ScanFilterPolicy = .unfiltered
    ) -> HCI.LESetScanParameters {
        HCI.LESetScanParameters(
            type: type,
            interval: HCI.ScanInterval(rawValue: interval),
            window: HCI.ScanInterval(rawValue: window),
            ownAddressType: own,
            filterPolicy: policy
        )
    }

    /// Scans by the legacy commands.
    func scan(
        _ type: HCI.ScanType = .passive,
        interval: UInt16 = 0x10,
        window: UInt16 = 0x10,
        own: HCI.OwnAddressType = .public,
        policy: HCI.ScanFilterPolicy = .unfiltered,
        filtersDuplicates: Bool = false
    ) throws {
        try perform(
            Self.scanParameters(type, interval: interval, window: window, own: own, policy: policy)
        )
        try perform(
            HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates)
        )
    }

    /// Returns extended scan parameters with default values for tests.
    static func extendedScanParameters(
        _ type: HCI.ScanType = .passive,
        own: HCI.OwnAddressType = .public,
        policy: HCI.ScanFilterPolicy = .unfiltered,
        le1M: (interval: UInt16, window: UInt16)? = (0x10, 0x10),
        le2M: (interval: UInt16, window: UInt16)? = nil,
        coded: (interval: UInt16, window: UInt16)? = nil
    ) -> HCI.LESetExtendedScanParameters {
        func phy(_ timing: (interval: UInt16, window: UInt16)?) -> HCI.PHYScanParameters? {
            timing.map {
                HCI.PHYScanParameters(
                    type: type,
                    interval: HCI.ScanInterval(rawValue: $0.interval),
                    window: HCI.ScanInterval(rawValue: $0.window)
                )
            }
        }
        return HCI.LESetExtendedScanParameters(
            ownAddressType: own,
            filterPolicy: policy,
            phys: .init(le1M: phy(le1M), le2M: phy(le2M), coded: phy(coded))
        )
    }

    /// Enables a scan with the last parameters, by the extended commands.
    func enableExtendedScan(
        duplicates: HCI.DuplicateFilter = .off,
        duration: UInt16 = 0,
        period: UInt16 = 0
    ) throws -> HCI.ErrorCode {
        try status(
            HCI.LESetExtendedScanEnable(
                isEnabled: true,
                duplicates: duplicates,
                duration: HCI.Timeout(rawValue: duration),
                period: HCI.ScanPeriod(rawValue: period)
            )
        )
    }

    /// Scans by the extended commands, on LE 1M.
    func scanExtended(
        _ type: HCI.ScanType = .passive,
        policy: HCI.ScanFilterPolicy = .unfiltered,
        duplicates: HCI.DuplicateFilter = .off
    ) throws {
        try perform(Self.extendedScanParameters(type, policy: policy))
        guard try enableExtendedScan(duplicates: duplicates) == .success else {
            throw HCI.ErrorCode.unspecifiedError
        }
    }

    /// Stops scanning, by the legacy command.
    func stopScan() throws {
        try perform(HCI.LESetScanEnable(isEnabled: false, filtersDuplicates: false))
    }

    /// The received legacy reports.
    var reports: [HCI.AdvertisingReport] {
        events.flatMap { event -> [HCI.AdvertisingReport] in
            if case .advertisingReports(let reports) = event { reports } else { [] }
        }
    }

    /// The reports of directed advertisements with an unresolved target.
    var directedReports: [HCI.DirectedAdvertisingReport] {
        events.flatMap { event -> [HCI.DirectedAdvertisingReport] in
            if case .directedAdvertisingReports(let reports) = event { reports } else { [] }
        }
    }

    /// The received extended reports.
    var extendedReports: [HCI.ExtendedAdvertisingReport] {
        events.flatMap { event -> [HCI.ExtendedAdvertisingReport] in
            if case .extendedAdvertisingReports(let reports) = event { reports } else { [] }
        }
    }

    /// The number of times that scanning has ended by its duration.
    var scanTimeoutCount: Int {
        events.count { if case .scanTimeout = $0 { true } else { false } }
    }

    /// The public address of the controller.
    var publicAddress: DeviceAddress {
        world.core.controllers[id.radio.index].publicAddress
    }
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How to scan, as the host has said it last.
struct ScanSettings: Hashable, Sendable {
    /// How one PHY is scanned.
    struct Channels: Hashable, Sendable {
        /// When it is listened to.
        var timing: ScanTiming
        /// Whether scannable advertisements are answered with a request.
        var isActive: Bool
    }

    /// Which address requests are sent from.
    var ownAddressType = HCI.OwnAddressType.public
    /// Whose advertisements are reported.
    var filterPolicy = HCI.ScanFilterPolicy.unfiltered
    /// LE 1M, unless it is not scanned.
    var uncoded: Channels? = Channels(
        timing: ScanTiming(interval: .init(rawValue: 0x10), window: .init(rawValue: 0x10)),
        isActive: false
    )
    /// LE Coded, if it is scanned.
    var coded: Channels?
    /// Whether the extended commands are used: extended advertising is followed, and everything is
    /// reported in extended form.
    var isExtended = false

    /// What a controller does whose host has not said anything.
    init() {}

    /// Whether advertisements of that modulation on primary channels are answered.
    func isActive(_ modulation: Modulation) -> Bool {
        (modulation == .le1M ? uncoded : coded)?.isActive ?? false
    }

    /// Whether only devices on the Filter Accept List are reported.
    var usesAcceptList: Bool {
        filterPolicy == .filterAcceptList || filterPolicy == .filterAcceptListExtended
    }

    /// Whether what is directed to a private address is reported though it cannot be resolved.
    var reportsUnresolvedTargets: Bool {
        filterPolicy == .unfilteredExtended || filterPolicy == .filterAcceptListExtended
    }
}

extension ScanSettings {
    /// The interval and window that the legacy commands may ask for (Vol 4, Part E, 7.8.10).
    static let legacyRange: ClosedRange<UInt16> = 0x0004...0x4000
    /// The same of the extended commands (Vol 4, Part E, 7.8.64).
    static let extendedRange: ClosedRange<UInt16> = 0x0004...0xFFFF

    /// The settings of the legacy command; throws Invalid HCI Command Parameters.
    init(_ command: HCI.LESetScanParameters) throws(HCI.ErrorCode) {
        let channels = try Channels(
            command.type,
            command.interval,
            command.window,
            within: Self.legacyRange
        )
        try self.init(command.ownAddressType, command.filterPolicy)
        uncoded = channels
    }

    /// The settings of the extended command; throws Invalid HCI Command Parameters, or Unsupported
    /// Feature or Parameter Value for LE 2M, on which nothing is advertised first.
    init(_ command: HCI.LESetExtendedScanParameters) throws(HCI.ErrorCode) {
        try self.init(command.ownAddressType, command.filterPolicy)
        guard command.phys.le2M == nil else { throw .unsupportedFeatureOrParameterValue }
        guard !command.phys.phys.isEmpty else { throw .invalidCommandParameters }
        uncoded = try Channels(command.phys.le1M)
        coded = try Channels(command.phys.coded)
        isExtended = true
    }

    private init(
        _ ownAddressType: HCI.OwnAddressType,
        _ filterPolicy: HCI.ScanFilterPolicy
    ) throws(HCI.ErrorCode) {
        guard ownAddressType.rawValue <= HCI.OwnAddressType.last.rawValue,
            filterPolicy.rawValue <= HCI.ScanFilterPolicy.filterAcceptListExtended.rawValue
        else { throw .invalidCommandParameters }
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
    }
}

extension ScanSettings.Channels {
    fileprivate init?(_ parameters: HCI.PHYScanParameters?) throws(HCI.ErrorCode) {
        guard let parameters else { return nil }
        try self.init(
            parameters.type,
            parameters.interval,
            parameters.window,
            within: ScanSettings.extendedRange
        )
    }

    fileprivate init(
        _ type: HCI.ScanType,
        _ interval: HCI.ScanInterval,
        _ window: HCI.ScanInterval,
        within range: ClosedRange<UInt16>
    ) throws(HCI.ErrorCode) {
        guard type == .passive || type == .active else { throw .invalidCommandParameters }
        timing = try ScanTiming(interval, window, within: range)
        isActive = type == .active
    }
}

extension ScanTiming {
    /// The timing, if both are within the range and the window within the interval; else throws
    /// Invalid HCI Command Parameters.
    init(
        _ interval: HCI.ScanInterval,
        _ window: HCI.ScanInterval,
        within range: ClosedRange<UInt16>
    ) throws(HCI.ErrorCode) {
        guard range.contains(interval.rawValue), range.contains(window.rawValue),
            window <= interval
        else { throw .invalidCommandParameters }
        self.init(interval: interval, window: window)
    }
}

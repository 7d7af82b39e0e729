// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The scan parameters of the host.
struct ScanSettings: Hashable, Sendable {
    /// The scan parameters of one PHY.
    struct Channels: Hashable, Sendable {
        /// The scan interval and window.
        var timing: ScanSchedule
        /// Whether the scanner is active: it sends a request for the scan response.
        var isActive: Bool
    }

    /// The type of the controller's own address in requests.
    var ownAddressType = HCI.OwnAddressType.public
    /// The filter policy.
    var filterPolicy = HCI.ScanFilterPolicy.unfiltered
    /// The parameters of LE 1M; `nil` if it is not scanned.
    var uncoded: Channels? = Channels(
        timing: ScanSchedule(interval: .init(rawValue: 0x10), window: .init(rawValue: 0x10)),
        isActive: false
    )
    /// The parameters of LE Coded; `nil` if it is not scanned.
    var coded: Channels?
    /// Whether the host uses the extended commands: the scanner follows extended advertising, and
    /// reports are in the extended form.
    var isExtended = false

    /// Creates the defaults of a controller whose host has set no parameters.
    init() {}

    /// Returns whether the scanner is active for advertisements of that modulation on primary
    /// channels.
    func isActive(_ modulation: Modulation) -> Bool {
        (modulation == .le1M ? uncoded : coded)?.isActive ?? false
    }

    /// Whether the scanner reports only devices on the Filter Accept List.
    var usesAcceptList: Bool {
        filterPolicy == .filterAcceptList || filterPolicy == .filterAcceptListExtended
    }

    /// Whether the scanner reports advertisements directed to a private address that it cannot
    /// resolve.
    var reportsUnresolvedTargets: Bool {
        filterPolicy == .unfilteredExtended || filterPolicy == .filterAcceptListExtended
    }
}

extension ScanSettings {
    /// The range of intervals and windows of the legacy commands, in steps (Vol 4, Part E, 7.8.10).
    static let legacyRange: ClosedRange<UInt16> = 0x0004...0x4000
    /// The range of intervals and windows of the extended commands, in steps (Vol 4, Part E,
    /// 7.8.64).
    static let extendedRange: ClosedRange<UInt16> = 0x0004...0xFFFF

    /// Creates the settings of the legacy command.
    ///
    /// - Throws: `invalidCommandParameters` if they are invalid.
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

    /// Creates the settings of the extended command.
    ///
    /// - Throws: `invalidCommandParameters` if they are invalid,
    ///   `unsupportedFeatureOrParameterValue` for LE 2M, which has no primary advertising.
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
        timing = try ScanSchedule(interval, window, within: range)
        isActive = type == .active
    }
}

extension ScanSchedule {
    /// Creates the timing.
    ///
    /// - Throws: `invalidCommandParameters` unless both values are in the range and the window is
    ///   not longer than the interval.
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

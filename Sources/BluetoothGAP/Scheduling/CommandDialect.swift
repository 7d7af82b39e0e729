// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The family of commands that a controller supports: the legacy commands, or the extended ones
/// that replace them.
///
/// A controller that has received a command of one family refuses those of the other (Vol 4, Part
/// E, 3.1.1). The host therefore uses one family for everything.
struct CommandDialect: Sendable {
    let isExtended: Bool
    private let ownAddressType: HCI.OwnAddressType
    private let hasCodedPHY: Bool
    private let states: HCI.LESupportedStates
    let capabilities: ControllerCapabilities
    /// The host's own address, or `nil` in `CentralScheduler`.
    let ownAddress: DeviceAddress?

    init(_ capabilities: ControllerCapabilities, ownAddressKind: DeviceAddress.Kind) {
        self.init(capabilities, ownAddressKind: ownAddressKind, ownAddress: nil)
    }

    init(_ capabilities: ControllerCapabilities, ownAddress: DeviceAddress) {
        self.init(capabilities, ownAddressKind: ownAddress.kind, ownAddress: ownAddress)
    }

    private init(
        _ capabilities: ControllerCapabilities,
        ownAddressKind: DeviceAddress.Kind,
        ownAddress: DeviceAddress?
    ) {
        isExtended = capabilities.usesExtendedCommands
        ownAddressType = ownAddressKind == .public ? .public : .random
        hasCodedPHY = capabilities.leFeatures.contains(.coded)
        states = capabilities.states
        self.capabilities = capabilities
        self.ownAddress = ownAddress
    }

    /// Returns whether the controller reports that it can initiate while it scans with these
    /// parameters.
    ///
    /// The result is also `true` for a controller that reports no supported states, because that
    /// controller can still refuse the command.
    func allowsInitiating(whileScanning parameters: ScanParameters?) -> Bool {
        guard let parameters, !states.isEmpty else { return true }
        return states.contains(
            parameters.isActive ? .activeScanningAndInitiating : .passiveScanningAndInitiating
        )
    }

    func command(for operation: ControllerOperation) -> HCI.EncodedCommand {
        switch operation {
        case .setScanParameters(let parameters): setScanParameters(parameters)
        case .enableScan(let filtersDuplicates): enableScan(true, filtersDuplicates)
        case .disableScan: enableScan(false, false)
        case .clearAcceptList: .init(HCI.LEClearFilterAcceptList())
        case .addToAcceptList(let address):
            .init(HCI.LEAddDeviceToFilterAcceptList(address: .init(address)))
        case .removeFromAcceptList(let address):
            .init(HCI.LERemoveDeviceFromFilterAcceptList(address: .init(address)))
        case .createConnection(let target, let parameters): create(target, parameters)
        case .cancelConnection: .init(HCI.LECreateConnectionCancel())
        }
    }

    // MARK: - Advertising

    /// Whether the controller can advertise with this family of commands.
    var canAdvertise: Bool {
        isExtended
            ? capabilities.supportsExtendedAdvertising
            : capabilities.supports(HCI.LESetAdvertisingEnable.self)
                && capabilities.supports(HCI.LESetAdvertisingParameters.self)
    }

    var advertisingSetLimit: Int { isExtended ? capabilities.advertisingSetCount : 1 }

    /// The maximum number of data bytes of an advertising set.
    var advertisingDataLimit: Int {
        isExtended ? capabilities.maximumAdvertisingDataLength : AdvertisingData.legacyLimit
    }

    var hasPublicAddress: Bool { capabilities.publicAddress != nil }

    /// Whether the controller is older than version 5.0.
    var isOld: Bool { capabilities.version.hciVersion.rawValue < HCI.Version.core5_0.rawValue }

    func supports(_ phy: PHY) -> Bool {
        switch phy {
        case .le1M: true
        case .le2M: capabilities.leFeatures.contains(.le2M)
        case .leCoded: hasCodedPHY
        default: false
        }
    }

    // MARK: - Scanning

    private func setScanParameters(_ parameters: ScanParameters) -> HCI.EncodedCommand {
        let type: HCI.ScanType = parameters.isActive ? .active : .passive
        guard isExtended else {
            let (interval, window) = ScanTiming.legacy(parameters.interval, parameters.window)
            return .init(
                HCI.LESetScanParameters(
                    type: type,
                    interval: interval,
                    window: window,
                    ownAddressType: addressType(isPublic: parameters.usesPublicAddress)
                )
            )
        }
        let phys = perPHY(parameters.phys) { count in
            let (interval, window) = ScanTiming.extended(
                parameters.interval,
                parameters.window,
                phyCount: count
            )
            return HCI.PHYScanParameters(type: type, interval: interval, window: window)
        }
        return .init(
            HCI.LESetExtendedScanParameters(
                ownAddressType: addressType(isPublic: parameters.usesPublicAddress),
                phys: phys
            )
        )
    }

    private func enableScan(_ isEnabled: Bool, _ filtersDuplicates: Bool) -> HCI.EncodedCommand {
        guard isExtended else {
            return .init(
                HCI.LESetScanEnable(isEnabled: isEnabled, filtersDuplicates: filtersDuplicates)
            )
        }
        return .init(
            HCI.LESetExtendedScanEnable(
                isEnabled: isEnabled,
                duplicates: filtersDuplicates ? .on : .off
            )
        )
    }

    // MARK: - Initiating

    private func create(
        _ target: InitiationTarget,
        _ parameters: ConnectParameters
    ) -> HCI.EncodedCommand {
        let policy: HCI.InitiatorFilterPolicy
        let peer: HCI.PeerAddress
        switch target {
        case .peer(let address): (policy, peer) = (.peerAddress, HCI.PeerAddress(address))
        case .acceptList: (policy, peer) = (.filterAcceptList, .none)
        }
        guard isExtended else {
            return .init(legacyCreate(policy, peer, parameters))
        }
        let phys = perPHY(parameters.phys) { count in
            let (interval, window) = ScanTiming.extended(
                parameters.scanInterval,
                parameters.scanWindow,
                phyCount: count
            )
            return HCI.PHYInitiatingParameters(
                scanInterval: interval,
                scanWindow: window,
                parameters: parameters.onTheWire
            )
        }
        return .init(
            HCI.LEExtendedCreateConnection(
                filterPolicy: policy,
                ownAddressType: addressType(isPublic: parameters.usesPublicAddress),
                peerAddress: peer,
                phys: phys
            )
        )
    }

    private func legacyCreate(
        _ policy: HCI.InitiatorFilterPolicy,
        _ peer: HCI.PeerAddress,
        _ parameters: ConnectParameters
    ) -> HCI.LECreateConnection {
        let (interval, window) = ScanTiming.legacy(parameters.scanInterval, parameters.scanWindow)
        return HCI.LECreateConnection(
            scanInterval: interval,
            scanWindow: window,
            filterPolicy: policy,
            peerAddress: peer,
            ownAddressType: addressType(isPublic: parameters.usesPublicAddress),
            parameters: parameters.onTheWire
        )
    }

    /// Returns the type of the address to scan or connect with.
    private func addressType(isPublic: Bool) -> HCI.OwnAddressType {
        isPublic ? .public : ownAddressType
    }

    /// Returns the same parameters for each requested PHY that the controller supports on the
    /// primary channels: LE 1M, LE Coded or both. If no such PHY is requested, LE 1M is used.
    private func perPHY<Parameters>(
        _ wanted: Set<PHY>,
        _ parameters: (_ phyCount: Int) -> Parameters
    ) -> HCI.PerPHY<Parameters> {
        let usesCoded = wanted.contains(.leCoded) && hasCodedPHY
        let uses1M = wanted.contains(.le1M) || !usesCoded
        let value = parameters(uses1M && usesCoded ? 2 : 1)
        return HCI.PerPHY(le1M: uses1M ? value : nil, coded: usesCoded ? value : nil)
    }
}

/// The rounding of scan intervals and windows to the steps of the commands.
private enum ScanTiming {
    private static let minimum: Duration = .microseconds(2500)
    private static let legacyMaximum: Duration = .milliseconds(10240)
    private static let extendedMaximum: Duration = .microseconds(40_959_375)

    typealias Pair = (interval: HCI.ScanInterval, window: HCI.ScanInterval)

    /// Returns the values for the legacy commands (Vol 4, Part E, 7.8.10 and 7.8.12).
    static func legacy(_ interval: Duration, _ window: Duration) -> Pair {
        pair(interval, window, maximum: legacyMaximum)
    }

    /// Returns the values for the extended commands (Vol 4, Part E, 7.8.64 and 7.8.66). The windows
    /// of all PHYs together must fit into the interval.
    static func extended(_ interval: Duration, _ window: Duration, phyCount: Int) -> Pair {
        let window = min(max(window, minimum), extendedMaximum / phyCount)
        return pair(max(interval, window * phyCount), window, maximum: extendedMaximum)
    }

    private static func pair(_ interval: Duration, _ window: Duration, maximum: Duration) -> Pair {
        let interval = min(max(interval, minimum), maximum)
        let window = min(max(window, minimum), interval)
        return (HCI.ScanInterval(interval), HCI.ScanInterval(window))
    }
}

extension ConnectParameters {
    private static let intervalBounds: ClosedRange<Duration> = .microseconds(7500) ... .seconds(4)
    private static let timeoutBounds: ClosedRange<Duration> = .milliseconds(100) ... .seconds(32)
    private static let latencyBounds = 0...499

    /// The parameters within the limits of the specification. The supervision timeout must be
    /// longer than two intervals with all their skipped events (Vol 4, Part E, 7.8.12). The timeout
    /// is therefore increased as far as possible, and after that the latency is reduced.
    var onTheWire: HCI.ConnectionParameters {
        let longest = Self.hold(intervalMaximum, in: Self.intervalBounds)
        let shortest = min(Self.hold(intervalMinimum, in: Self.intervalBounds), longest)
        let margin: Duration = .milliseconds(10)
        let affordable = Int((Self.timeoutBounds.upperBound - margin) / (longest * 2)) - 1
        let bounded = min(max(peripheralLatency, 0), Self.latencyBounds.upperBound)
        let latency = max(0, min(bounded, affordable))
        let needed = longest * 2 * (latency + 1) + margin
        let timeout = Self.hold(max(supervisionTimeout, needed), in: Self.timeoutBounds)
        return HCI.ConnectionParameters(
            intervalMinimum: HCI.ConnectionInterval(shortest),
            intervalMaximum: HCI.ConnectionInterval(longest),
            peripheralLatency: UInt16(latency),
            supervisionTimeout: HCI.Timeout(timeout)
        )
    }

    private static func hold(_ value: Duration, in bounds: ClosedRange<Duration>) -> Duration {
        min(max(value, bounds.lowerBound), bounds.upperBound)
    }
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension VirtualAdvertiser {
    /// The handlers of the legacy advertising commands (Vol 4, Part E, 7.8.5 to 7.8.9).
    static let legacyHandlers: [CommandHandler] = [
        .completing(HCI.LESetAdvertisingParameters.self, in: .legacy) {
            (controller, command, _) throws(HCI.ErrorCode) in
            let configuration = try AdvertisingSetConfiguration(command)
            let index = controller.advertiser.legacyIndex
            guard controller.advertiser.sets[index].run == nil else { throw .commandDisallowed }
            controller.advertiser.sets[index].configuration = configuration
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LEReadAdvertisingPhysicalChannelTxPower.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            .init(level: controller.reportedPower)
        },
        .completing(HCI.LESetAdvertisingData.self, in: .legacy) {
            (controller, command, _) throws(HCI.ErrorCode) in
            let index = controller.advertiser.legacyIndex
            controller.advertiser.sets[index].data.bytes = command.data.bytes
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LESetScanResponseData.self, in: .legacy) {
            (controller, command, _) throws(HCI.ErrorCode) in
            let index = controller.advertiser.legacyIndex
            controller.advertiser.sets[index].response.bytes = command.data.bytes
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LESetAdvertisingEnable.self, in: .legacy) {
            (controller, command, ether) throws(HCI.ErrorCode) in
            try controller.setLegacyAdvertising(command.isEnabled, &ether)
            return HCI.NoReturnParameters()
        },
    ]

    /// The index of the set of the legacy commands. The first access creates the set.
    fileprivate var legacyIndex: Int {
        mutating get {
            if let index = index(of: VirtualAdvertisingSet.legacyHandle) { return index }
            sets.append(
                VirtualAdvertisingSet(
                    handle: VirtualAdvertisingSet.legacyHandle,
                    configuration: .standard,
                    isOfLegacyCommands: true
                )
            )
            return sets.count - 1
        }
    }
}

extension VirtualController {
    /// The transmit power as controllers report it, in dBm.
    var reportedPower: Int8 {
        let power = configuration.transmitPower
        return power.isFinite ? Int8(min(max(power.rounded(), -127), 20)) : 0
    }

    /// Checks that the controller can have another link, if the advertising is connectable.
    ///
    /// - Throws: `connectionLimitExceeded` if it cannot.
    func checkLinkLimit(
        for set: AdvertisingSetConfiguration,
        _ ether: Ether
    ) throws(HCI.ErrorCode) {
        guard !set.isConnectable || ether.linkCount(of: radio) < configuration.linkLimit else {
            throw .connectionLimitExceeded
        }
    }

    /// Performs LE Set Advertising Enable. Enabling an enabled set changes nothing.
    fileprivate mutating func setLegacyAdvertising(
        _ isEnabled: Bool,
        _ ether: inout Ether
    ) throws(HCI.ErrorCode) {
        let index = advertiser.legacyIndex
        guard isEnabled else { return stopAdvertising(index, &ether) }
        guard advertiser.sets[index].run == nil else { return }
        guard let addresses = addresses(for: advertiser.sets[index]) else {
            throw .invalidCommandParameters
        }
        let configuration = advertiser.sets[index].configuration
        try checkLinkLimit(for: configuration, ether)
        let run = AdvertisingRun(
            interval: configuration.intervals.lowerBound.nanoseconds,
            eventLimit: 0,
            addresses: addresses
        )
        let limit = configuration.isHighDutyCycle ? AdvertisingTiming.highDutyLimit : nil
        startAdvertising(index, run, lasting: limit, &ether)
    }
}

extension AdvertisingSetConfiguration {
    /// Creates the parameters of the legacy command.
    ///
    /// - Throws: An error code if the parameters are invalid or not supported.
    init(_ command: HCI.LESetAdvertisingParameters) throws(HCI.ErrorCode) {
        guard let properties = Self.properties[command.type] else {
            throw .invalidCommandParameters
        }
        let isHighDuty = command.type == .directedHighDutyCycle
        self.init(
            properties: properties,
            intervals: isHighDuty
                ? AdvertisingTiming.highDutyInterval...AdvertisingTiming.highDutyInterval
                : try Self.intervals(
                    command.intervalMinimum.duration,
                    command.intervalMaximum.duration,
                    within: AdvertisingTiming.legacyIntervals
                )
        )
        try setAddressing(
            channels: command.channels,
            own: command.ownAddressType,
            peer: command.peerAddress,
            policy: command.filterPolicy
        )
    }

    /// The properties of the extended commands that correspond to the legacy types.
    private static let properties: [HCI.AdvertisingType: HCI.AdvertisingProperties] = [
        .connectableUndirected: [.legacy, .connectable, .scannable],
        .directedHighDutyCycle: [.legacy, .connectable, .directed, .highDutyCycle],
        .scannable: [.legacy, .scannable],
        .nonConnectable: [.legacy],
        .directedLowDutyCycle: [.legacy, .connectable, .directed],
    ]

    /// Returns the range of intervals.
    ///
    /// - Throws: `unsupportedFeatureOrParameterValue` if the controller does not support it,
    ///   `invalidCommandParameters` if the minimum is above the maximum.
    static func intervals(
        _ minimum: Duration,
        _ maximum: Duration,
        within supported: ClosedRange<Duration>
    ) throws(HCI.ErrorCode) -> ClosedRange<Duration> {
        guard supported.contains(minimum), supported.contains(maximum) else {
            throw .unsupportedFeatureOrParameterValue
        }
        guard minimum <= maximum else { throw .invalidCommandParameters }
        return minimum...maximum
    }

    /// Sets the parameters that the legacy and the extended command share. Ignores reserved
    /// channels.
    ///
    /// - Throws: `invalidCommandParameters` if one of them is invalid.
    mutating func setAddressing(
        channels: HCI.AdvertisingChannels,
        own: HCI.OwnAddressType,
        peer: HCI.PeerAddress,
        policy: HCI.AdvertisingFilterPolicy
    ) throws(HCI.ErrorCode) {
        self.channels = channels.intersection(.all)
        guard !self.channels.isEmpty,
            HCI.OwnAddressType.names[own.rawValue] != nil,
            peer.type == .public || peer.type == .random,
            HCI.AdvertisingFilterPolicy.names[policy.rawValue] != nil,
            let address = peer.deviceAddress
        else { throw .invalidCommandParameters }
        ownAddressType = own
        self.peer = address
        filterPolicy = policy
    }
}

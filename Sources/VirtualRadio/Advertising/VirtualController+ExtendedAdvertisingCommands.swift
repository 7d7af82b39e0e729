// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension VirtualAdvertiser {
    /// The largest advertising handle that a host may choose (Vol 4, Part E, 7.8.53).
    static let handleMaximum: UInt8 = 0xEF

    /// The handlers of the extended advertising commands (Vol 4, Part E, 7.8.52 to 7.8.60).
    static let extendedHandlers: [CommandHandler] =
        setHandlers + dataHandlers + [
            .completing(HCI.LESetExtendedAdvertisingEnable.self, in: .extended) {
                (controller, command, ether) throws(HCI.ErrorCode) in
                try controller.setExtendedAdvertising(command, &ether)
                return HCI.NoReturnParameters()
            },
            .completing(HCI.LEReadMaximumAdvertisingDataLength.self) {
                (_, _, _) throws(HCI.ErrorCode) in
                .init(length: UInt16(PacketLength.extendedDataLimit))
            },
            .completing(HCI.LEReadNumberOfSupportedAdvertisingSets.self) {
                (controller, _, _) throws(HCI.ErrorCode) in
                .init(count: UInt8(clamping: controller.configuration.advertisingSetLimit))
            },
        ]

    /// The handlers of the commands that create and remove sets.
    private static let setHandlers: [CommandHandler] = [
        .completing(HCI.LESetExtendedAdvertisingParameters.self, in: .extended) {
            (controller, command, _) throws(HCI.ErrorCode) in
            try controller.setParameters(command)
        },
        .completing(HCI.LESetAdvertisingSetRandomAddress.self, in: .extended) {
            (controller, command, _) throws(HCI.ErrorCode) in
            try controller.advertiser.setRandomAddress(command)
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LERemoveAdvertisingSet.self, in: .extended) {
            (controller, command, _) throws(HCI.ErrorCode) in
            let index = try controller.advertiser.requireIndex(of: command.advertisingHandle)
            guard controller.advertiser.sets[index].run == nil else { throw .commandDisallowed }
            controller.advertiser.sets.remove(at: index)
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LEClearAdvertisingSets.self, in: .extended) {
            (controller, _, _) throws(HCI.ErrorCode) in
            guard !controller.advertiser.isAdvertising else { throw .commandDisallowed }
            controller.advertiser.sets = []
            return HCI.NoReturnParameters()
        },
    ]

    /// The handlers of the commands for the data of a set.
    private static let dataHandlers: [CommandHandler] = [
        .completing(HCI.LESetExtendedAdvertisingData.self, in: .extended) {
            (controller, command, _) throws(HCI.ErrorCode) in
            let index = try controller.advertiser.requireIndex(of: command.advertisingHandle)
            try controller.advertiser.sets[index].setData(command)
            return HCI.NoReturnParameters()
        },
        .completing(HCI.LESetExtendedScanResponseData.self, in: .extended) {
            (controller, command, _) throws(HCI.ErrorCode) in
            let index = try controller.advertiser.requireIndex(of: command.advertisingHandle)
            try controller.advertiser.sets[index].setResponse(command)
            return HCI.NoReturnParameters()
        },
    ]

    /// Performs LE Set Advertising Set Random Address. The address of an enabled connectable set
    /// cannot change, because connection requests contain it.
    private mutating func setRandomAddress(
        _ command: HCI.LESetAdvertisingSetRandomAddress
    ) throws(HCI.ErrorCode) {
        let index = try requireIndex(of: command.advertisingHandle)
        let isInUse = sets[index].run != nil && sets[index].configuration.isConnectable
        guard !isInUse else { throw .commandDisallowed }
        sets[index].randomAddress = command.address.deviceAddress(.random)
    }
}

extension VirtualController {
    /// Performs LE Set Extended Advertising Parameters: creates the set, or changes it while it is
    /// disabled.
    fileprivate mutating func setParameters(
        _ command: HCI.LESetExtendedAdvertisingParameters
    ) throws(HCI.ErrorCode) -> HCI.LESetExtendedAdvertisingParameters.ReturnParameters {
        guard command.advertisingHandle <= VirtualAdvertiser.handleMaximum else {
            throw .invalidCommandParameters
        }
        let configuration = try AdvertisingSetConfiguration(command, power: reportedPower)
        if let index = advertiser.index(of: command.advertisingHandle) {
            guard advertiser.sets[index].run == nil else { throw .commandDisallowed }
            try advertiser.sets[index].check(configuration)
            advertiser.sets[index].configuration = configuration
        } else {
            guard advertiser.sets.count < advertiser.setLimit else {
                throw .memoryCapacityExceeded
            }
            advertiser.sets.append(
                VirtualAdvertisingSet(
                    handle: command.advertisingHandle,
                    configuration: configuration,
                    dataID: UInt16(truncatingIfNeeded: generator.next())
                )
            )
        }
        return .init(transmitPower: configuration.transmitPower)
    }
}

extension AdvertisingSetConfiguration {
    /// Creates the parameters of the extended command. If the command asks for more transmit power
    /// than the radio has, the power is limited, and the controller returns the limited value.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - power: The largest transmit power, in dBm.
    /// - Throws: An error code if the parameters are invalid or not supported.
    init(
        _ command: HCI.LESetExtendedAdvertisingParameters,
        power: Int8
    ) throws(HCI.ErrorCode) {
        try Self.check(command.properties)
        self.init(
            properties: command.properties,
            intervals: try Self.intervals(command)
        )
        try setAddressing(
            channels: command.channels,
            own: command.ownAddressType,
            peer: command.peerAddress,
            policy: command.filterPolicy
        )
        try setPHYs(command)
        guard command.setIdentifier <= Self.sidMaximum,
            command.transmitPower == Self.noPowerPreference
                || Self.powers.contains(command.transmitPower)
        else { throw .invalidCommandParameters }
        transmitPower = min(power, command.transmitPower)
        reduction = Int16(power) - Int16(transmitPower)
        sid = command.setIdentifier
        reportsScanRequests = command.reportsScanRequests
    }

    private static let sidMaximum: UInt8 = 0x0F
    private static let powers: ClosedRange<Int8> = -127...20
    private static let noPowerPreference: Int8 = 127

    /// The property combinations of legacy packets (Vol 4, Part E, 7.8.53).
    private static let legacyProperties: Set<HCI.AdvertisingProperties> = [
        [.legacy, .connectable, .scannable],
        [.legacy, .connectable, .directed],
        [.legacy, .connectable, .directed, .highDutyCycle],
        [.legacy, .scannable],
        [.legacy],
    ]

    /// All defined properties.
    private static let allProperties: HCI.AdvertisingProperties = [
        .connectable, .scannable, .directed, .highDutyCycle, .legacy, .anonymous,
        .includesTransmitPower,
    ]

    /// Checks that the specification allows the combination of properties.
    ///
    /// - Throws: `invalidCommandParameters` if it does not.
    private static func check(_ properties: HCI.AdvertisingProperties) throws(HCI.ErrorCode) {
        let isPossible =
            properties.contains(.legacy)
            ? legacyProperties.contains(properties) : isExtended(properties)
        guard isPossible else { throw .invalidCommandParameters }
    }

    private static func isExtended(_ properties: HCI.AdvertisingProperties) -> Bool {
        let allowsRequests = !properties.isDisjoint(with: [.connectable, .scannable])
        return properties.isSubset(of: allProperties)
            && !properties.isSuperset(of: [.connectable, .scannable])
            && !properties.contains(.highDutyCycle)
            && !(allowsRequests && properties.contains(.anonymous))
    }

    private static func intervals(
        _ command: HCI.LESetExtendedAdvertisingParameters
    ) throws(HCI.ErrorCode) -> ClosedRange<Duration> {
        if command.properties.contains(.highDutyCycle) {
            return AdvertisingTiming.highDutyInterval...AdvertisingTiming.highDutyInterval
        }
        let minimum = command.intervalMinimum.duration
        return try intervals(
            minimum,
            command.intervalMaximum.duration,
            within: AdvertisingTiming.extendedIntervals
        )
    }

    /// Sets the PHYs. Legacy packets use LE 1M, and primary channels do not support LE 2M. LE Coded
    /// is sent with S=8.
    private mutating func setPHYs(
        _ command: HCI.LESetExtendedAdvertisingParameters
    ) throws(HCI.ErrorCode) {
        guard !isLegacy || command.primaryPHY == .le1M else { throw .invalidCommandParameters }
        switch command.primaryPHY {
        case .le1M: primary = .le1M
        case .leCoded: primary = .codedS8
        default: throw .unsupportedFeatureOrParameterValue
        }
        guard !isLegacy else { return }
        switch command.secondaryPHY {
        case .le1M: secondary = .le1M
        case .le2M: secondary = .le2M
        case .leCoded: secondary = .codedS8
        default: throw .unsupportedFeatureOrParameterValue
        }
    }
}

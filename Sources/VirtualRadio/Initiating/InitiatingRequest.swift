// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a host has asked for when it wants a link.
struct InitiatingRequest: Sendable {
    /// How one PHY is used.
    struct Channels: Sendable {
        /// When it is listened to.
        let timing: ScanTiming
        /// How a link on it begins.
        let parameters: LinkParameters
    }

    /// The device; nil for any on the Filter Accept List.
    let peer: DeviceAddress?
    /// Which address requests are sent from.
    let ownAddressType: HCI.OwnAddressType
    /// LE 1M, if there is something to be listened to.
    var uncoded: Channels?
    /// LE 2M: only for links.
    var fast: Channels?
    /// LE Coded, if there is something to be listened to.
    var coded: Channels?
    /// Whether extended advertising is followed.
    var isExtended = false

    /// How a link on the PHY begins; of another PHY if that has no parameters of its own (Vol 4,
    /// Part E, 7.8.66).
    func parameters(_ phy: PHY) -> LinkParameters? {
        let own =
            switch phy {
            case .le1M: uncoded
            case .le2M: fast
            default: coded
            }
        return (own ?? uncoded ?? coded)?.parameters
    }
}

extension InitiatingRequest {
    /// The request of the legacy command; throws Invalid HCI Command Parameters.
    init(_ command: HCI.LECreateConnection) throws(HCI.ErrorCode) {
        try self.init(
            command.filterPolicy,
            command.peerAddress,
            lastType: .randomIdentity,
            command.ownAddressType
        )
        uncoded = Channels(
            timing: try ScanTiming(
                command.scanInterval,
                command.scanWindow,
                within: ScanSettings.legacyRange
            ),
            parameters: try LinkParameters(command.parameters)
        )
    }

    /// The request of the extended command; throws Invalid HCI Command Parameters.
    init(_ command: HCI.LEExtendedCreateConnection) throws(HCI.ErrorCode) {
        try self.init(
            command.filterPolicy,
            command.peerAddress,
            // The two identity types are not for this command (7.8.66). But it means the same,
            // and Bumble 0.0.236 hands on what an advertising report told it.
            lastType: .randomIdentity,
            command.ownAddressType
        )
        uncoded = try Channels(command.phys.le1M)
        fast = try Channels(command.phys.le2M)
        coded = try Channels(command.phys.coded)
        guard uncoded != nil || coded != nil else { throw .invalidCommandParameters }
        isExtended = true
    }

    /// What both commands begin with. The legacy one has address types for identities, too.
    private init(
        _ policy: HCI.InitiatorFilterPolicy,
        _ peer: HCI.PeerAddress,
        lastType: HCI.AddressType,
        _ ownAddressType: HCI.OwnAddressType
    ) throws(HCI.ErrorCode) {
        guard ownAddressType.rawValue <= HCI.OwnAddressType.last.rawValue else {
            throw .invalidCommandParameters
        }
        self.ownAddressType = ownAddressType
        switch policy {
        case .filterAcceptList: self.peer = nil
        case .peerAddress where peer.type.rawValue <= lastType.rawValue:
            self.peer = peer.deviceAddress
        default: throw .invalidCommandParameters
        }
    }
}

extension InitiatingRequest.Channels {
    fileprivate init?(_ channels: HCI.PHYInitiatingParameters?) throws(HCI.ErrorCode) {
        guard let channels else { return nil }
        timing = try ScanTiming(
            channels.scanInterval,
            channels.scanWindow,
            within: ScanSettings.extendedRange
        )
        parameters = try LinkParameters(channels.parameters)
    }
}

extension LinkParameters {
    /// The ranges of Vol 4, Part E, 7.8.12.
    private static let intervals: ClosedRange<UInt16> = 0x0006...0x0C80
    private static let latencies: ClosedRange<UInt16> = 0...0x01F3
    private static let timeouts: ClosedRange<UInt16> = 0x000A...0x0C80

    /// The shortest interval of the range that is asked for. Throws Invalid HCI Command Parameters
    /// for what is out of range, and for a supervision timeout within which a Peripheral that uses
    /// its latency need not be heard twice.
    init(_ asked: HCI.ConnectionParameters) throws(HCI.ErrorCode) {
        let silence = asked.intervalMaximum.duration * (1 + Int(asked.peripheralLatency)) * 2
        guard Self.intervals.contains(asked.intervalMinimum.rawValue),
            Self.intervals.contains(asked.intervalMaximum.rawValue),
            asked.intervalMinimum <= asked.intervalMaximum,
            Self.latencies.contains(asked.peripheralLatency),
            Self.timeouts.contains(asked.supervisionTimeout.rawValue),
            asked.supervisionTimeout.duration > silence,
            asked.eventLengthMinimum <= asked.eventLengthMaximum
        else { throw .invalidCommandParameters }
        self.init(
            interval: asked.intervalMinimum.duration,
            latency: Int(asked.peripheralLatency),
            supervisionTimeout: asked.supervisionTimeout.duration
        )
    }
}

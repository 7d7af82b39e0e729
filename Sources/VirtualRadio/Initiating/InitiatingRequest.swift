// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The host's request for a link.
struct InitiatingRequest: Sendable {
    /// The parameters of one PHY.
    struct Channels: Sendable {
        /// The scan interval and window.
        let timing: ScanSchedule
        /// The initial parameters of a link on the PHY.
        let parameters: LinkParameters
    }

    /// The device; `nil` for any device on the Filter Accept List.
    let peer: DeviceAddress?
    /// The type of the controller's own address in connection requests.
    let ownAddressType: HCI.OwnAddressType
    /// The parameters of LE 1M; `nil` if the initiator does not listen on it.
    var uncoded: Channels?
    /// The parameters of LE 2M, which is only for links.
    var fast: Channels?
    /// The parameters of LE Coded; `nil` if the initiator does not listen on it.
    var coded: Channels?
    /// Whether the initiator follows extended advertising.
    var isExtended = false

    /// Returns the initial parameters of a link on the PHY. If the PHY has no parameters, those of
    /// another PHY apply (Vol 4, Part E, 7.8.66).
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
    /// Creates the request of the legacy command.
    ///
    /// - Throws: `invalidCommandParameters` if the parameters are invalid.
    init(_ command: HCI.LECreateConnection) throws(HCI.ErrorCode) {
        try self.init(
            command.filterPolicy,
            command.peerAddress,
            lastType: .randomIdentity,
            command.ownAddressType
        )
        uncoded = Channels(
            timing: try ScanSchedule(
                command.scanInterval,
                command.scanWindow,
                within: ScanSettings.legacyRange
            ),
            parameters: try LinkParameters(command.parameters)
        )
    }

    /// Creates the request of the extended command.
    ///
    /// - Throws: `invalidCommandParameters` if the parameters are invalid.
    init(_ command: HCI.LEExtendedCreateConnection) throws(HCI.ErrorCode) {
        try self.init(
            command.filterPolicy,
            command.peerAddress,
            // The specification does not allow the two identity types in this command (7.8.66). But
            // their meaning is clear, and Bumble 0.0.236 passes on the type from an advertising
            // report.
            lastType: .randomIdentity,
            command.ownAddressType
        )
        uncoded = try Channels(command.phys.le1M)
        fast = try Channels(command.phys.le2M)
        coded = try Channels(command.phys.coded)
        guard uncoded != nil || coded != nil else { throw .invalidCommandParameters }
        isExtended = true
    }

    /// Creates the part that both commands share.
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
        timing = try ScanSchedule(
            channels.scanInterval,
            channels.scanWindow,
            within: ScanSettings.extendedRange
        )
        parameters = try LinkParameters(channels.parameters)
    }
}

extension LinkParameters {
    /// The valid ranges (Vol 4, Part E, 7.8.12).
    private static let intervals: ClosedRange<UInt16> = 0x0006...0x0C80
    private static let latencies: ClosedRange<UInt16> = 0...0x01F3
    private static let timeouts: ClosedRange<UInt16> = 0x000A...0x0C80

    /// Creates the parameters, with the shortest interval of the requested range.
    ///
    /// - Throws: `invalidCommandParameters` for a value out of range, and for a supervision timeout
    ///   that is too short. A peripheral may be silent for (latency + 1) intervals, and the timeout
    ///   must be longer than twice that time.
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

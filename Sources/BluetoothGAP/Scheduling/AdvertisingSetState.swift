// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// One request to advertise, and the presumed state of the controller.
struct AdvertisingSetState: Sendable {
    enum Activity: Sendable, Equatable {
        case off
        case on
        /// The set may be on the air, because the controller refused an operation unexpectedly or
        /// did not answer.
        case doubtful
    }

    /// The advertising data or scan response data that the controller holds.
    enum Stored: Sendable, Equatable {
        /// The first `count` bytes of data that is sent in pieces.
        case partial(of: [UInt8], count: Int)
        case whole([UInt8])
        case unknown
    }

    /// The state of the set in the controller.
    struct PresumedState: Sendable {
        /// Whether the controller has the set, or `nil` if that is unknown.
        var exists: Bool? = false
        var parameters: AdvertisingParameters?
        var address: DeviceAddress?
        var data = Stored.unknown
        var response = Stored.unknown
    }

    /// The caller's identifier of the set.
    let id: Advertiser.SetID
    /// The advertising handle (Vol 4, Part E, 7.8.53).
    let handle: UInt8
    var requested: Advertising
    /// The set's own address, or `nil` if it has the host's address.
    var ownAddress: DeviceAddress?
    /// The parameters of the commands for the set, or `nil` without a controller.
    var configuration: Advertiser.SetConfiguration?
    /// The reason for the end, or `nil` while the set is requested.
    var end: AdvertisingEnd?
    var isEndReported = false

    var presumed = PresumedState()
    var activity = Activity.off
    /// Whether the set needs another Enable: its duration or its number of events has changed, or a
    /// connection may have stopped it without an event. Enabling a set that is on the air restarts
    /// its duration and number of events, and does no other harm (Vol 4, Part E, 7.8.56).
    var needsRefresh = false
    /// Whether the controller reported the end of the set during an Enable, so that the order of
    /// the two events is unknown.
    var hasEndedWhileEnabling = false
    /// Whether the advertiser has reported that the set is in force.
    var isAnnounced = false

    /// The time at which the duration of the set ends.
    var endsAt: Instant?
    /// The number of advertising events left, or `nil` without a limit.
    var eventsLeft: Int?
    /// The number of failed operations in a row.
    var refusalCount = 0
    /// The number of back-offs in a row. Each is twice as long as the one before, up to
    /// `backoffMaximum`.
    var failureCount = 0
    /// The time at which the current back-off ends.
    var backoffEnd: Instant?
    /// Whether the set waits because the controller has no room for another link.
    var isWaitingForLink = false

    init(id: Advertiser.SetID, handle: UInt8, requested: Advertising) {
        self.id = id
        self.handle = handle
        self.requested = requested
        eventsLeft = requested.eventLimit.map { max(1, Int($0)) }
    }

    var isRequested: Bool { end == nil }

    /// Whether an extended controller has the set, or may have it.
    var mayExist: Bool { presumed.exists != false }

    /// Whether the set is on the air with the Filter Accept List, which must then not change
    /// (Vol 4, Part E, 7.8.15 to 7.8.17).
    var usesAcceptList: Bool {
        activity != .off && presumed.parameters.map { $0.filterPolicy != .unfiltered } ?? false
    }

    /// Whether the set is requested with the Filter Accept List.
    var needsAcceptList: Bool {
        isRequested && configuration.map { $0.parameters.filterPolicy != .unfiltered } ?? false
    }

    /// Whether a central may be connecting through the set now.
    var mayConnect: Bool { activity != .off && presumed.parameters?.isConnectable != false }
}

extension AdvertisingParameters {
    var isConnectable: Bool { properties.contains(.connectable) }
}

// The next operation.
extension AdvertisingSetState {
    /// The state outside of the set that the next operation depends on.
    struct Conditions {
        let dialect: CommandDialect
        /// Whether the controller has reported its transmit power.
        let knowsPower: Bool
        /// Whether the Filter Accept List holds the admitted devices.
        let isListReady: Bool
        /// The activities of the controller besides advertising.
        let activities: ControllerActivities
        /// Whether no set may be on the air.
        let isHeld: Bool
        let now: Instant
    }

    /// Returns the next operation for this set, or `nil` if none is necessary.
    func nextOperation(_ conditions: Conditions) -> AdvertisingOperation? {
        let dialect = conditions.dialect
        if activity == .doubtful { return .disable(set: handle) }
        guard isRequested, let configuration else {
            if activity == .on { return .disable(set: handle) }
            return mayExist && dialect.isExtended ? .remove(set: handle) : nil
        }
        let mayRun =
            !conditions.isHeld
            && dialect.allows(configuration.parameters, beside: conditions.activities)
            && (conditions.isListReady || !needsAcceptList)
        if activity == .on {
            guard mayRun, conditions.isListReady || !usesAcceptList else {
                return .disable(set: handle)
            }
            return nextOperationWhileOn(configuration, conditions)
        }
        guard backoffEnd == nil, mayRun else { return nil }
        return nextOperationWhileOff(configuration, conditions)
    }

    /// Returns the next operation for a set on the air. Only its data may then change, and only in
    /// one piece (Vol 4, Part E, 7.8.5, 7.8.52 to 7.8.54).
    private func nextOperationWhileOn(
        _ configuration: Advertiser.SetConfiguration,
        _ conditions: Conditions
    ) -> AdvertisingOperation? {
        guard presumed.parameters == configuration.parameters,
            presumed.address == configuration.address
        else {
            return .disable(set: handle)
        }
        if let operation = nextPiece(configuration, conditions.dialect) {
            guard case .setData(_, _, let piece) = operation, piece.operation == .complete else {
                return .disable(set: handle)
            }
            return operation
        }
        return needsRefresh ? enable(conditions.dialect, now: conditions.now) : nil
    }

    private func nextOperationWhileOff(
        _ configuration: Advertiser.SetConfiguration,
        _ conditions: Conditions
    ) -> AdvertisingOperation? {
        let dialect = conditions.dialect
        if presumed.parameters != configuration.parameters {
            let isRecreated =
                presumed.parameters.map { !$0.keepsDataValid(for: configuration.parameters) }
                ?? false
            if isRecreated, dialect.isExtended { return .remove(set: handle) }
            return .setParameters(set: handle, configuration.parameters)
        }
        if let address = configuration.address, presumed.address != address {
            return .setAddress(set: handle, address)
        }
        if !conditions.knowsPower, requested.statesControllerPower, dialect.canReadTransmitPower {
            return .readTransmitPower
        }
        return nextPiece(configuration, dialect) ?? enable(dialect, now: conditions.now)
    }

    private func enable(_ dialect: CommandDialect, now: Instant) -> AdvertisingOperation {
        var duration = endsAt.map { $0 - now } ?? requested.duration
        if requested.isHighDutyCycle {
            duration = min(duration ?? Advertiser.highDutyLimit, Advertiser.highDutyLimit)
        }
        // If the duration is too long for the command, the controller gets none, and the host ends
        // the set.
        if let asked = duration, asked > Advertiser.controllerDurationLimit { duration = nil }
        let events = UInt8(clamping: eventsLeft ?? 0)
        return .enable(
            set: handle,
            duration: dialect.isExtended ? duration : nil,
            eventLimit: dialect.isExtended ? events : 0
        )
    }

    /// Returns the next piece of data that the controller lacks. Data that the kind of advertising
    /// does not allow is not sent.
    private func nextPiece(
        _ configuration: Advertiser.SetConfiguration,
        _ dialect: CommandDialect
    ) -> AdvertisingOperation? {
        let parameters = configuration.parameters
        if parameters.carriesData || !dialect.isExtended,
            let piece = Self.piece(of: configuration.data, after: presumed.data, dialect)
        {
            return .setData(set: handle, .advertisingData, piece)
        }
        if parameters.properties.contains(.scannable) || !dialect.isExtended,
            let piece = Self.piece(of: configuration.response, after: presumed.response, dialect)
        {
            return .setData(set: handle, .scanResponse, piece)
        }
        return nil
    }

    private static func piece(
        of wanted: [UInt8],
        after stored: Stored,
        _ dialect: CommandDialect
    ) -> AdvertisingOperation.Piece? {
        if stored == .whole(wanted) { return nil }
        let limit = Advertiser.pieceLimit
        guard dialect.isExtended, wanted.count > limit else {
            return .init(bytes: wanted, operation: .complete)
        }
        var start = 0
        if case .partial(wanted, let count) = stored { start = count }
        let end = min(start + limit, wanted.count)
        let operation: HCI.DataOperation =
            start == 0 ? .first : end == wanted.count ? .last : .intermediate
        return .init(bytes: Array(wanted[start..<end]), operation: operation)
    }
}

extension CommandDialect {
    /// Whether the transmit power needs a command of its own. Extended controllers report it with
    /// each set.
    var canReadTransmitPower: Bool {
        !isExtended && capabilities.supports(HCI.LEReadAdvertisingPhysicalChannelTxPower.self)
    }
}

extension Advertising {
    /// Whether the data contains the transmit power that the controller reports.
    var statesControllerPower: Bool {
        if case .composed(let content) = content {
            content.transmitPower == .ofController
        } else {
            false
        }
    }
}

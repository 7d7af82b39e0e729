// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// One wish to advertise, beside what the controller is believed to do about it.
struct AdvertisingSetState: Sendable {
    enum Activity: Sendable, Equatable {
        case off
        case on
        /// The controller refused something it should not have: it may be advertising.
        case doubtful
    }

    /// A part of the data as the controller has it.
    enum Stored: Sendable, Equatable {
        /// So many octets of the whole that is being sent in pieces.
        case partial(of: [UInt8], count: Int)
        case whole([UInt8])
        case unknown
    }

    /// What the controller has of the set.
    struct Belief: Sendable {
        /// Whether it has the set at all; nil: not known.
        var exists: Bool? = false
        var parameters: AdvertisingParameters?
        var address: DeviceAddress?
        var data = Stored.unknown
        var response = Stored.unknown
    }

    /// The caller's name for the set.
    let id: Advertiser.SetID
    /// The controller's name for it (Vol 4, Part E, 7.8.53).
    let handle: UInt8
    var wish: Advertising
    /// The address that it has for itself; nil: that of the host.
    var ownAddress: DeviceAddress?
    /// The wish in terms of the present controller; nil while there is none.
    var recipe: AdvertisingRecipe?
    /// Why it is over; nil while it is wanted.
    var end: AdvertisingEnd?
    /// Whether those who asked know that it is over.
    var isEndTold = false

    var belief = Belief()
    var activity = Activity.off
    /// Whether it is on the air again although nothing said that it had stopped: enabling what is
    /// enabled does no harm.
    var needsRefresh = false
    /// Its end was told while it was being enabled: which came first is not known.
    var hasEndedWhileEnabling = false
    /// Whether those who asked know that the wish is in force.
    var isAnnounced = false

    /// When it is over.
    var endsAt: Instant?
    /// How often it may still advertise; nil: for ever.
    var eventsLeft: Int?
    /// Orders refused in a row.
    var refusalCount = 0
    /// Failures in a row, each of which lets it rest for longer.
    var failureCount = 0
    /// Until when it keeps out of the way.
    var restsUntil: Instant?
    /// Whether it rests because the controller has no link to spare.
    var isWaitingForLink = false

    init(id: Advertiser.SetID, handle: UInt8, wish: Advertising) {
        self.id = id
        self.handle = handle
        self.wish = wish
        eventsLeft = wish.eventLimit.map { max(1, Int($0)) }
    }

    var isWanted: Bool { end == nil }

    /// Whether an extended controller has the set, or may have it.
    var mayExist: Bool { belief.exists != false }

    /// Whether it is on the air by the Filter Accept List, which then must not be changed
    /// (Vol 4, Part E, 7.8.15 to 7.8.17).
    var usesAcceptList: Bool {
        activity != .off && belief.parameters.map { $0.filterPolicy != .unfiltered } ?? false
    }

    /// Whether it is to be.
    var wantsAcceptList: Bool {
        isWanted && recipe.map { $0.parameters.filterPolicy != .unfiltered } ?? false
    }

    /// Whether somebody may be connecting through it now.
    var mayConnect: Bool { activity != .off && belief.parameters?.isConnectable != false }
}

extension AdvertisingParameters {
    var isConnectable: Bool { properties.contains(.connectable) }
}

// What comes next.
extension AdvertisingSetState {
    /// What the next order depends on beside the set itself.
    struct Circumstances {
        let dialect: CommandDialect
        /// Whether the controller has said with what power it sends.
        let knowsPower: Bool
        /// Whether the Filter Accept List holds those who are admitted.
        let isListReady: Bool
        /// What else the controller does.
        let use: RadioUse
        /// Whether nothing may be on the air.
        let isHeld: Bool
        let now: Instant
    }

    /// The next order on the way to what is wanted; nil when nothing is to be done.
    func nextOrder(_ circumstances: Circumstances) -> AdvertisingOrder? {
        let dialect = circumstances.dialect
        if activity == .doubtful { return .disable(set: handle) }
        guard isWanted, let recipe else {
            if activity == .on { return .disable(set: handle) }
            return mayExist && dialect.isExtended ? .remove(set: handle) : nil
        }
        let mayRun =
            !circumstances.isHeld && dialect.allows(recipe.parameters, beside: circumstances.use)
            && (circumstances.isListReady || !wantsAcceptList)
        if activity == .on {
            guard mayRun, circumstances.isListReady || !usesAcceptList else {
                return .disable(set: handle)
            }
            return nextOrderWhileOn(recipe, circumstances)
        }
        guard restsUntil == nil, mayRun else { return nil }
        return nextOrderWhileOff(recipe, circumstances)
    }

    /// Only the data changes while it is on the air, and only in one piece
    /// (Vol 4, Part E, 7.8.5, 7.8.52 to 7.8.54).
    private func nextOrderWhileOn(
        _ recipe: AdvertisingRecipe,
        _ circumstances: Circumstances
    ) -> AdvertisingOrder? {
        guard belief.parameters == recipe.parameters, belief.address == recipe.address else {
            return .disable(set: handle)
        }
        if let order = nextPiece(recipe, circumstances.dialect) {
            guard case .setData(_, _, let piece) = order, piece.operation == .complete else {
                return .disable(set: handle)
            }
            return order
        }
        return needsRefresh ? enable(circumstances.dialect, now: circumstances.now) : nil
    }

    private func nextOrderWhileOff(
        _ recipe: AdvertisingRecipe,
        _ circumstances: Circumstances
    ) -> AdvertisingOrder? {
        let dialect = circumstances.dialect
        if belief.parameters != recipe.parameters {
            let isMadeAnew =
                belief.parameters.map { !$0.isSameManner(as: recipe.parameters) } ?? false
            if isMadeAnew, dialect.isExtended { return .remove(set: handle) }
            return .setParameters(set: handle, recipe.parameters)
        }
        if let address = recipe.address, belief.address != address {
            return .setAddress(set: handle, address)
        }
        if !circumstances.knowsPower, wish.statesControllerPower, dialect.canReadTransmitPower {
            return .readTransmitPower
        }
        return nextPiece(recipe, dialect) ?? enable(dialect, now: circumstances.now)
    }

    private func enable(_ dialect: CommandDialect, now: Instant) -> AdvertisingOrder {
        var duration = endsAt.map { $0 - now } ?? wish.duration
        if wish.isHighDutyCycle {
            duration = min(duration ?? Advertiser.highDutyLimit, Advertiser.highDutyLimit)
        }
        // A time that is too long for the command is only watched here.
        if let asked = duration, asked > Advertiser.controllerDurationLimit { duration = nil }
        let events = UInt8(clamping: eventsLeft ?? 0)
        return .enable(
            set: handle,
            duration: dialect.isExtended ? duration : nil,
            eventLimit: dialect.isExtended ? events : 0
        )
    }

    /// The next piece of data that the controller lacks. What it cannot have, it is not sent.
    private func nextPiece(
        _ recipe: AdvertisingRecipe,
        _ dialect: CommandDialect
    ) -> AdvertisingOrder? {
        let parameters = recipe.parameters
        if parameters.carriesData || !dialect.isExtended,
            let piece = Self.piece(of: recipe.data, after: belief.data, dialect)
        {
            return .setData(set: handle, .advertisingData, piece)
        }
        if parameters.properties.contains(.scannable) || !dialect.isExtended,
            let piece = Self.piece(of: recipe.response, after: belief.response, dialect)
        {
            return .setData(set: handle, .scanResponse, piece)
        }
        return nil
    }

    private static func piece(
        of wanted: [UInt8],
        after stored: Stored,
        _ dialect: CommandDialect
    ) -> AdvertisingOrder.Piece? {
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
    /// Whether the power has to be asked for by a command of its own: extended controllers tell it
    /// with each set.
    var canReadTransmitPower: Bool {
        !isExtended && capabilities.supports(HCI.LEReadAdvertisingPhysicalChannelTxPower.self)
    }
}

extension Advertising {
    /// Whether its data depends on what the controller says.
    var statesControllerPower: Bool {
        if case .composed(let content) = content {
            content.transmitPower == .ofController
        } else {
            false
        }
    }
}

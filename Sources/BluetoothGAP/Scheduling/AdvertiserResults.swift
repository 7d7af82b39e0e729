// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Advertiser {
    /// A command was answered, or will never be.
    package mutating func commandFinished(
        _ step: AdvertisingStep,
        result: CommandResult,
        now: Instant
    ) -> [Action] {
        guard step == outstanding else { return [] }
        outstanding = nil
        finish(step.order, result, now: now)
        return settle(now: now)
    }

    private mutating func finish(
        _ order: AdvertisingOrder,
        _ result: CommandResult,
        now: Instant
    ) {
        let outcome = OrderOutcome(result)
        if order == .readTransmitPower { return notePower(result) }
        guard order.set != nil else { return finishEdit(order, outcome) }
        guard let index = sets.firstIndex(where: { $0.handle == order.set }) else { return }
        if outcome == .accepted {
            if case .setParameters(let set, _) = order { noteSelectedPower(result, of: set) }
            sets[index].carriedOut(order, isExtended: dialect?.isExtended ?? false, now: now)
            if case .setParameters = order, sets[index].wish.statesControllerPower {
                prepare(index)
            }
            return
        }
        sets[index].notCarriedOut(order, outcome, now: now)
    }

    /// Legacy controllers tell the power when asked; one that does not is not asked again.
    private mutating func notePower(_ result: CommandResult) {
        let answer = try? result.decode(as: HCI.LEReadAdvertisingPhysicalChannelTxPower.self)
        for index in sets.indices {
            power[sets[index].handle] = answer?.level ?? 0
            if sets[index].isWanted { prepare(index) }
        }
    }

    private mutating func noteSelectedPower(_ result: CommandResult, of set: UInt8) {
        guard dialect?.isExtended == true,
            let answer = try? result.decode(as: HCI.LESetExtendedAdvertisingParameters.self)
        else { return }
        power[set] = answer.transmitPower
    }
}

extension AdvertisingSetState {
    /// Whether the controller has no link to spare for whoever would connect.
    var isOutOfLinks: Bool { restsUntil != nil && isWaitingForLink }

    fileprivate mutating func carriedOut(
        _ order: AdvertisingOrder,
        isExtended: Bool,
        now: Instant
    ) {
        switch order {
        case .setParameters(_, let parameters):
            // A new set of an extended controller has neither data nor address.
            if belief.exists == false, isExtended {
                belief = Belief(data: .whole([]), response: .whole([]))
            }
            belief.exists = true
            belief.parameters = parameters
        case .setAddress(_, let address): belief.address = address
        case .setData(_, .advertisingData, let piece):
            belief.data = belief.data.adding(piece, of: recipe?.data ?? [])
        case .setData(_, .scanResponse, let piece):
            belief.response = belief.response.adding(piece, of: recipe?.response ?? [])
        case .enable: enabled(now: now)
        case .disable: activity = .off
        case .remove: belief = Belief()
        case .readTransmitPower, .clearAdmitted, .admit, .dismiss: break
        }
    }

    private mutating func enabled(now: Instant) {
        activity = hasEndedWhileEnabling ? .off : .on
        hasEndedWhileEnabling = false
        needsRefresh = false
        refusalCount = 0
        failureCount = 0
        isWaitingForLink = false
        if endsAt == nil { endsAt = wish.duration.map { now + $0 } }
    }

    fileprivate mutating func notCarriedOut(
        _ order: AdvertisingOrder,
        _ outcome: OrderOutcome,
        now: Instant
    ) {
        hasEndedWhileEnabling = false
        needsRefresh = false
        switch (order, outcome) {
        case (.disable, _):
            // Refused means that it does not advertise. Unanswered: should it still advertise, then
            // it will refuse what comes next, and be told again.
            activity = .off
            if outcome == .refused(.unknownAdvertisingIdentifier) { belief = Belief() }
        case (.remove, .disallowed) where refusalCount < Advertiser.refusalLimit:
            refusalCount += 1
            activity = .doubtful
        case (.remove, _): belief = Belief()
        case (_, .refused(.unknownAdvertisingIdentifier)):
            begin(again: .off, outcome, now: now)
            belief = Belief()
        case (_, .disallowed): begin(again: .doubtful, outcome, now: now)
        case (_, .unanswered): begin(again: .doubtful, outcome, now: now)
        case (.enable, .refused(.connectionLimitExceeded)),
            (.enable, .refused(.rejectedForLimitedResources)):
            activity = .off
            isWaitingForLink = true
            rest(now: now)
        default: fail(outcome)
        }
    }

    /// What the controller has of the set is not what was believed: it is made anew, a bounded
    /// number of times in a row. One that has been in force rests then, and is tried again.
    private mutating func begin(
        again activity: Activity,
        _ outcome: OrderOutcome,
        now: Instant
    ) {
        refusalCount += 1
        self.activity = activity
        belief = Belief(exists: nil)
        guard refusalCount >= Advertiser.refusalLimit else { return }
        refusalCount = 0
        guard isAnnounced else { return fail(outcome) }
        rest(now: now)
    }

    private mutating func fail(_ outcome: OrderOutcome) {
        guard end == nil else { return }
        end = .failed(outcome.advertisingError)
    }

    mutating func rest(now: Instant) {
        let doubled = Advertiser.restMinimum * (1 << min(failureCount, 10))
        restsUntil = now + min(doubled, Advertiser.restMaximum)
        failureCount += 1
    }
}

extension AdvertisingSetState.Stored {
    /// With another piece of the whole.
    fileprivate func adding(_ piece: AdvertisingOrder.Piece, of whole: [UInt8]) -> Self {
        switch piece.operation {
        case .complete: return .whole(piece.bytes)
        case .first: return .partial(of: whole, count: piece.bytes.count)
        default:
            guard case .partial(let target, let count) = self, target == whole else {
                return .unknown
            }
            let sum = count + piece.bytes.count
            return sum >= target.count ? .whole(target) : .partial(of: target, count: sum)
        }
    }
}

extension OrderOutcome {
    var advertisingError: AdvertisingError {
        if case .refused(let code) = self { .refused(code) } else { .unanswered }
    }
}

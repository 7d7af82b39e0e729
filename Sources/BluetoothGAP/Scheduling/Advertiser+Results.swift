// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Advertiser {
    /// Processes the result of a command: the controller's answer, or the end of the wait for it.
    package mutating func commandFinished(
        _ step: AdvertisingStep,
        result: CommandResult,
        now: Instant
    ) -> [Action] {
        guard step == outstanding else { return [] }
        outstanding = nil
        finish(step.operation, result, now: now)
        return settle(now: now)
    }

    private mutating func finish(
        _ operation: AdvertisingOperation,
        _ result: CommandResult,
        now: Instant
    ) {
        let outcome = OperationOutcome(result)
        if operation == .readTransmitPower { return notePower(result) }
        guard operation.set != nil else { return finishEdit(operation, outcome) }
        guard let index = sets.firstIndex(where: { $0.handle == operation.set }) else { return }
        if case .disable = operation { noteStop(outcome, of: index) }
        if outcome == .accepted {
            if case .setParameters(let set, _) = operation { noteSelectedPower(result, of: set) }
            sets[index].carriedOut(operation, isExtended: dialect?.isExtended ?? false, now: now)
            if case .setParameters = operation, sets[index].requested.statesControllerPower {
                prepare(index)
            }
            return
        }
        sets[index].notCarriedOut(operation, outcome, now: now)
    }

    /// Counts the unanswered Disables. Only a reset ends the advertising of a controller that never
    /// answers them.
    ///
    /// A set that was in force begins again after the reset. Any other set fails. Otherwise, the
    /// host would repeatedly reset a controller that does not answer the commands for this set.
    private mutating func noteStop(_ outcome: OperationOutcome, of index: Int) {
        unansweredStopCount = outcome == .unanswered ? unansweredStopCount + 1 : 0
        guard unansweredStopCount == Self.unansweredStopLimit else { return }
        outbox.append(.unstoppable)
        if !sets[index].isAnnounced { sets[index].fail(outcome) }
        sets[index].isAnnounced = false
    }

    /// Records the power that a legacy controller reports. Without a report, the power counts as 0
    /// dBm, so that the advertiser does not send the command again.
    private mutating func notePower(_ result: CommandResult) {
        let answer = try? result.decode(as: HCI.LEReadAdvertisingPhysicalChannelTxPower.self)
        for index in sets.indices {
            power[sets[index].handle] = answer?.level ?? 0
            if sets[index].isRequested { prepare(index) }
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
    /// Whether the set backs off because the controller has no room for another link.
    var isOutOfLinks: Bool { backoffEnd != nil && isWaitingForLink }

    fileprivate mutating func carriedOut(
        _ operation: AdvertisingOperation,
        isExtended: Bool,
        now: Instant
    ) {
        switch operation {
        case .setParameters(_, let parameters):
            // A new set of an extended controller has neither data nor address.
            if presumed.exists == false, isExtended {
                presumed = PresumedState(data: .whole([]), response: .whole([]))
            }
            presumed.exists = true
            presumed.parameters = parameters
        case .setAddress(_, let address): presumed.address = address
        case .setData(_, .advertisingData, let piece):
            presumed.data = presumed.data.adding(piece, of: configuration?.data ?? [])
        case .setData(_, .scanResponse, let piece):
            presumed.response = presumed.response.adding(piece, of: configuration?.response ?? [])
        case .enable: enabled(now: now)
        case .disable: activity = .off
        case .remove: presumed = PresumedState()
        case .readTransmitPower, .clearAdmitted, .admit, .dismiss: break
        }
    }

    private mutating func enabled(now: Instant) {
        // The controller reported an end of the set while this Enable was outstanding. If that was
        // the end of an earlier run, the set is on the air now.
        activity = hasEndedWhileEnabling ? .doubtful : .on
        hasEndedWhileEnabling = false
        refusalCount = 0
        failureCount = 0
        isWaitingForLink = false
        if endsAt == nil { endsAt = requested.duration.map { now + $0 } }
    }

    fileprivate mutating func notCarriedOut(
        _ operation: AdvertisingOperation,
        _ outcome: OperationOutcome,
        now: Instant
    ) {
        hasEndedWhileEnabling = false
        switch (operation, outcome) {
        // The set may still be on the air, so the next operation is another Disable.
        case (.disable, .unanswered): activity = .doubtful
        case (.disable, _):
            // A refusal means that the set does not advertise.
            activity = .off
            if outcome == .refused(.unknownAdvertisingIdentifier) { presumed = PresumedState() }
        case (.remove, .disallowed) where refusalCount < Advertiser.refusalLimit:
            refusalCount += 1
            activity = .doubtful
        case (.remove, .unanswered) where refusalCount < Advertiser.refusalLimit:
            refusalCount += 1
        case (.remove, _): presumed = PresumedState()
        case (_, .refused(.unknownAdvertisingIdentifier)):
            begin(again: activity == .off ? .off : .doubtful, outcome, now: now)
            presumed = PresumedState()
        case (_, .disallowed): begin(again: .doubtful, outcome, now: now)
        case (_, .unanswered): begin(again: .doubtful, outcome, now: now)
        case (.enable, .refused(.connectionLimitExceeded)),
            (.enable, .refused(.rejectedForLimitedResources)):
            // A set that was on the air before this Enable may still be on the air.
            if activity != .off { activity = .doubtful }
            isWaitingForLink = true
            backOff(now: now)
        default: fail(outcome)
        }
    }

    /// Begins a set again, because its state in the controller differs from the presumed state.
    ///
    /// After `refusalLimit` attempts in a row, a set that was in force backs off, and any other set
    /// ends.
    private mutating func begin(
        again activity: Activity,
        _ outcome: OperationOutcome,
        now: Instant
    ) {
        refusalCount += 1
        self.activity = activity
        presumed = PresumedState(exists: nil)
        guard refusalCount >= Advertiser.refusalLimit else { return }
        refusalCount = 0
        guard isAnnounced else { return fail(outcome) }
        backOff(now: now)
    }

    fileprivate mutating func fail(_ outcome: OperationOutcome) {
        guard end == nil else { return }
        end = .failed(outcome.advertisingError)
    }

    mutating func backOff(now: Instant) {
        let doubled = Advertiser.backoffMinimum * (1 << min(failureCount, 10))
        backoffEnd = now + min(doubled, Advertiser.backoffMaximum)
        failureCount += 1
    }
}

extension AdvertisingSetState.Stored {
    /// Returns the stored data with one more piece of the whole.
    fileprivate func adding(_ piece: AdvertisingOperation.Piece, of whole: [UInt8]) -> Self {
        switch piece.operation {
        case .complete: return .whole(piece.bytes)
        case .first:
            // The whole may have changed after the operation was issued.
            guard whole.starts(with: piece.bytes) else { return .unknown }
            return .partial(of: whole, count: piece.bytes.count)
        default:
            guard case .partial(let target, let count) = self, target == whole else {
                return .unknown
            }
            let sum = count + piece.bytes.count
            return sum >= target.count ? .whole(target) : .partial(of: target, count: sum)
        }
    }
}

extension OperationOutcome {
    var advertisingError: AdvertisingError {
        if case .refused(let code) = self { .refused(code) } else { .unanswered }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// What the controller tells by itself, and what time brings.
extension Advertiser {
    /// LE Advertising Set Terminated (Vol 4, Part E, 7.7.65.18).
    package mutating func setTerminated(
        _ event: HCI.LEAdvertisingSetTerminated,
        now: Instant
    ) -> [Action] {
        if event.status == .success { terminationDueAt = nil }
        if let index = sets.firstIndex(where: { $0.handle == event.advertisingHandle }) {
            stopped(index, because: event.status, events: Int(event.completedEvents), now: now)
        }
        return settle(now: now)
    }

    /// A link was made in the Peripheral role. That stops legacy advertising; an extended
    /// controller tells which set it stops.
    package mutating func connectionMade(now: Instant) -> [Action] {
        guard let dialect else { return [] }
        if dialect.isExtended {
            terminationDueAt = now + Self.terminationLimit
        } else if let index = sets.firstIndex(where: { isRunning($0) }) {
            stopped(index, because: .success, events: 0, now: now)
        }
        return settle(now: now)
    }

    /// A legacy controller has called one device with a high duty cycle, in vain
    /// (LE Connection Complete with Advertising Timeout; Vol 4, Part E, 7.8.9).
    package mutating func directedAdvertisingTimedOut(now: Instant) -> [Action] {
        if dialect?.isExtended == false, let index = sets.firstIndex(where: { isRunning($0) }) {
            stopped(index, because: .advertisingTimeout, events: 0, now: now)
        }
        return settle(now: now)
    }

    /// A link was closed: a controller that was full may have room now.
    package mutating func linkCountChanged(now: Instant) -> [Action] {
        for index in sets.indices where sets[index].isWaitingForLink {
            sets[index].restsUntil = nil
        }
        return settle(now: now)
    }

    /// Something else that the controller does has begun or ended.
    package mutating func radioUseChanged(to newUse: RadioUse, now: Instant) -> [Action] {
        guard use != newUse else { return [] }
        use = newUse
        return settle(now: now)
    }

    private func isRunning(_ set: AdvertisingSetState) -> Bool {
        if case .enable(set.handle, _, _) = outstanding?.order { return true }
        return set.activity != .off
    }

    /// A set is off the air, for the reason that Advertising Set Terminated has for it.
    private mutating func stopped(
        _ index: Int,
        because status: HCI.ErrorCode,
        events: Int,
        now: Instant
    ) {
        if case .enable(sets[index].handle, _, _) = outstanding?.order {
            sets[index].hasEndedWhileEnabling = true
        }
        sets[index].activity = .off
        sets[index].stopped(because: status, events: events, now: now)
    }

    // MARK: - Time

    /// When `deadlinePassed` is to be called, at the latest; nil: never.
    package var nextDeadline: Instant? {
        var soonest: Instant?
        let isExtended = dialect?.isExtended ?? false
        let rests = dialect != nil && outstanding == nil
        // By index: this is asked after every packet, and to go through the sets copies each.
        for index in sets.indices where sets[index].isWanted {
            soonest = earliest(soonest, sets[index].overdueAt(isExtended: isExtended))
            if rests { soonest = earliest(soonest, sets[index].restsUntil) }
        }
        return dialect == nil ? soonest : earliest(soonest, terminationDueAt)
    }

    /// Time has come to `now`.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        let isExtended = dialect?.isExtended ?? false
        for index in sets.indices where sets[index].isWanted {
            if let end = sets[index].overdueAt(isExtended: isExtended), now >= end {
                sets[index].end = .durationElapsed
            }
        }
        if let due = terminationDueAt, now >= due {
            terminationDueAt = nil
            for index in sets.indices where sets[index].mayConnect {
                sets[index].needsRefresh = true
            }
        }
        return settle(now: now)
    }

    /// Lets those try again who have rested long enough.
    mutating func wake(now: Instant) {
        for index in sets.indices {
            if let end = sets[index].restsUntil, now >= end { sets[index].restsUntil = nil }
        }
    }
}

extension AdvertisingSetState {
    /// When a set is over by the clock of the host. A controller that counts itself gets a moment
    /// more, while the set is on the air.
    fileprivate func overdueAt(isExtended: Bool) -> Instant? {
        let grace = isExtended && activity == .on ? Advertiser.endGrace : .zero
        return endsAt.map { $0 + grace }
    }

    /// The controller has stopped by itself.
    fileprivate mutating func stopped(
        because status: HCI.ErrorCode,
        events: Int,
        now: Instant
    ) {
        if let left = eventsLeft { eventsLeft = max(1, left - events) }
        guard end == nil else { return }
        switch status {
        case .success:
            if !wish.continuesAfterConnection || wish.target != nil { end = .connected }
        case .advertisingTimeout where wish.isHighDutyCycle || wish.duration != nil:
            end = .durationElapsed
        case .limitReached where wish.eventLimit != nil: end = .eventLimitReached
        default:
            // For no reason of ours: one that stops all the time must not keep us busy.
            rest(now: now)
        }
    }
}

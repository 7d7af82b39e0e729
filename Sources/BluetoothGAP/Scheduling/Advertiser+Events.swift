// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// Events of the controller, and deadlines.
extension Advertiser {
    /// Processes LE Advertising Set Terminated (Vol 4, Part E, 7.7.65.18).
    package mutating func setTerminated(
        _ event: HCI.LEAdvertisingSetTerminated,
        now: Instant
    ) -> [Action] {
        if event.status == .success { connectionNamed() }
        if let index = sets.firstIndex(where: { $0.handle == event.advertisingHandle }) {
            stopped(index, because: event.status, events: Int(event.completedEvents), now: now)
        }
        return settle(now: now)
    }

    /// Processes the start of a link in the peripheral role.
    ///
    /// The link stops the advertising of a legacy controller. An extended controller reports the
    /// set that the link stops in a further event, LE Advertising Set Terminated.
    package mutating func connectionMade(now: Instant) -> [Action] {
        guard let dialect else { return [] }
        if dialect.isExtended {
            unnamedConnectionCount += 1
            terminationDueAt = now + Self.terminationLimit
        } else if let index = sets.firstIndex(where: { isRunning($0) }) {
            stopped(index, because: .success, events: 0, now: now)
        }
        return settle(now: now)
    }

    /// Processes the end of high duty cycle directed advertising without a connection on a legacy
    /// controller (LE Connection Complete with Advertising Timeout, Vol 4, Part E, 7.8.9).
    package mutating func directedAdvertisingTimedOut(now: Instant) -> [Action] {
        if dialect?.isExtended == false, let index = sets.firstIndex(where: { isRunning($0) }) {
            stopped(index, because: .advertisingTimeout, events: 0, now: now)
        }
        return settle(now: now)
    }

    /// Processes the end of a link, after which the controller may have room for another link.
    package mutating func linkCountChanged(now: Instant) -> [Action] {
        for index in sets.indices where sets[index].isWaitingForLink {
            sets[index].backoffEnd = nil
        }
        return settle(now: now)
    }

    /// Processes a change of the controller's activities other than advertising.
    package mutating func activitiesChanged(to newActivities: ControllerActivities, now: Instant)
        -> [Action]
    {
        guard activities != newActivities else { return [] }
        activities = newActivities
        return settle(now: now)
    }

    /// Records that LE Advertising Set Terminated has named the set of one connection. The events
    /// for other connections may still be missing.
    private mutating func connectionNamed() {
        unnamedConnectionCount = max(0, unnamedConnectionCount - 1)
        if unnamedConnectionCount == 0 { terminationDueAt = nil }
    }

    private func isRunning(_ set: AdvertisingSetState) -> Bool {
        if case .enable(set.handle, _, _) = outstanding?.operation { return true }
        return set.activity != .off
    }

    /// Processes the end of a set's advertising, with a status as in Advertising Set Terminated.
    private mutating func stopped(
        _ index: Int,
        because status: HCI.ErrorCode,
        events: Int,
        now: Instant
    ) {
        if case .enable(sets[index].handle, _, _) = outstanding?.operation {
            sets[index].hasEndedWhileEnabling = true
        }
        sets[index].activity = .off
        sets[index].stopped(because: status, events: events, now: now)
    }

    // MARK: - Time

    /// The latest time for the next call of `deadlinePassed`, or `nil` if no call is necessary.
    package var nextDeadline: Instant? {
        var soonest: Instant?
        let isExtended = dialect?.isExtended ?? false
        let backsOff = dialect != nil && outstanding == nil
        // The loop uses indices, because iterating over the sets copies each of them, and this runs
        // for every packet.
        for index in sets.indices where sets[index].isRequested {
            soonest = earliest(soonest, sets[index].overdueAt(isExtended: isExtended))
            if backsOff { soonest = earliest(soonest, sets[index].backoffEnd) }
        }
        return dialect == nil ? soonest : earliest(soonest, terminationDueAt)
    }

    /// Processes the deadlines up to `now`.
    package mutating func deadlinePassed(now: Instant) -> [Action] {
        let isExtended = dialect?.isExtended ?? false
        for index in sets.indices where sets[index].isRequested {
            if let end = sets[index].overdueAt(isExtended: isExtended), now >= end {
                sets[index].end = .durationElapsed
            }
        }
        if let due = terminationDueAt, now >= due {
            unnamedConnectionCount = 0
            terminationDueAt = nil
            for index in sets.indices where sets[index].mayConnect {
                sets[index].needsRefresh = true
            }
        }
        return settle(now: now)
    }

    /// Ends each back-off whose time has passed.
    mutating func endBackoffs(now: Instant) {
        for index in sets.indices {
            if let end = sets[index].backoffEnd, now >= end { sets[index].backoffEnd = nil }
        }
    }
}

extension AdvertisingSetState {
    /// Returns the time at which the host ends the set, or `nil` for a set without a duration and
    /// before the set is on the air for the first time.
    ///
    /// An extended controller counts the duration itself. While the set is on the air, the host
    /// therefore waits `endGrace` longer for the controller's event.
    fileprivate func overdueAt(isExtended: Bool) -> Instant? {
        let grace = isExtended && activity == .on ? Advertiser.endGrace : .zero
        return endsAt.map { $0 + grace }
    }

    /// Records that the controller has stopped the set by itself.
    fileprivate mutating func stopped(
        because status: HCI.ErrorCode,
        events: Int,
        now: Instant
    ) {
        if let left = eventsLeft { eventsLeft = max(1, left - events) }
        guard end == nil else { return }
        switch status {
        case .success:
            if !requested.continuesAfterConnection || requested.target != nil { end = .connected }
        case .advertisingTimeout where requested.isHighDutyCycle || requested.duration != nil:
            end = .durationElapsed
        case .limitReached where requested.eventLimit != nil: end = .eventLimitReached
        default:
            // The end is unexpected. The back-off bounds the work if the controller repeats it.
            backOff(now: now)
        }
    }
}

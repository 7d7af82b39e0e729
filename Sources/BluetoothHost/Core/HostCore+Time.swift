// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// The one timer of a host: the earliest deadline of every machine in it.
extension HostCore {
    /// When `deadlinePassed` must be called next; nil while nothing waits for time.
    package var nextDeadline: Instant? {
        state == .closed ? nil : earliest(nextDeadlineBesideLinks, links.nextDeadline)
    }

    /// The same, for whoever asks after every packet: what may be changed is looked at where it is,
    /// and everything else copied first, which costs more than to look.
    mutating func findNextDeadline() -> Instant? {
        state == .closed ? nil : earliest(nextDeadlineBesideLinks, links.findNextDeadline())
    }

    private var nextDeadlineBesideLinks: Instant? {
        var soonest = earliest(commands.nextDeadline, scheduler.nextDeadline)
        soonest = earliest(soonest, earliest(reopening.deadline, farewellDeadline))
        soonest = earliest(soonest, earliest(advertiser.nextDeadline, server.nextDeadline))
        soonest = earliest(soonest, keeping.schedule.nextDeadline)
        soonest = earliest(soonest, earliest(addresses.nextDeadline, wire.packetDeadline))
        for dial in dials.values { soonest = earliest(soonest, dial.nextDeadline) }
        return soonest
    }

    /// The time that `nextDeadline` named has come, or may have.
    package mutating func deadlinePassed(now: Instant) {
        guard state != .closed else { return }
        expirePacket(now: now)
        perform(commands.deadlinePassed(now: now), now: now)
        perform(addresses.deadlinePassed(now: now), now: now)
        perform(scheduler.deadlinePassed(now: now), now: now)
        perform(advertiser.deadlinePassed(now: now), now: now)
        expireDials(now: now)
        wakeDials(now: now)
        endTrials(now: now)
        for handle in links.handles { expire(handle, now: now) }
        perform(server.deadlinePassed(now: now))
        writeChanges(now: now)
        pumpAll(now: now)
        finishShutDown(now: now)
        if let deadline = reopening.deadline, deadline <= now { reopen() }
    }

    private mutating func expire(_ handle: ConnectionHandle, now: Instant) {
        if let actions = links[handle]?.gatt.deadlinePassed(now: now) {
            perform(actions, on: handle, now: now)
        }
        expireEnhanced(handle, now: now)
        if let actions = links[handle]?.logicalLink.deadlinePassed(now: now) {
            perform(actions, on: handle, now: now)
        }
        expireProtection(handle, now: now)
        if let due = links[handle]?.preferredParametersDueAt, due <= now {
            askForPreferredParameters(on: handle, now: now)
        }
        if let deadline = links[handle]?.disconnectDeadline, deadline <= now {
            emit(.log("the controller does not end a link: it counts as ended"))
            return linkIsGone(handle, .disconnected(.connectionTimeout), now: now)
        }
        if let link = links[handle], let attempt = link.nextDisconnectAttempt, attempt <= now {
            attemptDisconnect(handle, of: link.identifier, now: now)
        }
        guard let waiting = links[handle]?.procedures else { return }
        for (procedure, waiter) in waiting where waiter.deadline <= now {
            links[handle]?.procedures[procedure] = nil
            if let request = waiter.request { fail(request, HostError.timedOut) }
            if procedure == .encryption { encryptionFailed(.timedOut, on: handle, now: now) }
        }
    }
}

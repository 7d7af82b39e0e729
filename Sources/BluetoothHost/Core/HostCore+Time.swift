// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// The one timer of a host: the earliest deadline of all its parts.
extension HostCore {
    /// The time at which `deadlinePassed` must be called next, or `nil` if nothing has a deadline.
    package var nextDeadline: Instant? {
        var copy = self
        return copy.readNextDeadline()
    }

    /// Returns `nextDeadline`. The method is `mutating`, because the driver stores the core in an
    /// object, and a nonmutating method would first copy the whole core.
    package mutating func readNextDeadline() -> Instant? {
        guard state != .closed else { return nil }
        var soonest = earliest(links.nextDeadline, context.commandDeadline)
        soonest = earliest(soonest, earliest(schedulerDeadline, advertiserDeadline))
        soonest = earliest(soonest, earliest(reopening.deadline, shutdownDeadline))
        soonest = earliest(soonest, context.server.nextDeadline)
        soonest = earliest(soonest, context.storeState.schedule.nextDeadline)
        soonest = earliest(
            soonest,
            earliest(addresses.nextDeadline, transportRecovery.packetDeadline)
        )
        soonest = earliest(soonest, context.pairingWindow.nextDeadline)
        if !connectionRequests.isEmpty {
            for pending in connectionRequests.values {
                soonest = earliest(soonest, pending.nextDeadline)
            }
        }
        return soonest
    }

    package mutating func deadlinePassed(now: Instant) {
        guard state != .closed else { return }
        expirePacket(now: now)
        perform(context.commands.deadlinePassed(now: now), now: now)
        perform(addresses.deadlinePassed(now: now), now: now)
        perform(scheduler.deadlinePassed(now: now), now: now)
        perform(advertiser.deadlinePassed(now: now), now: now)
        expirePairingWindow(now: now)
        expireConnectionRequests(now: now)
        resumeConnectionRequests(now: now)
        endTrials(now: now)
        for link in links.due(now: now) {
            withLink(link, now: now) { link, context in
                link.deadlinePassed(&context)
                link.pump(&context)
            }
        }
        perform(context.server.deadlinePassed(now: now), now: now)
        context.writeChanges(now: now)
        finishShutDown(now: now)
        if let deadline = reopening.deadline, deadline <= now { reopen() }
    }
}

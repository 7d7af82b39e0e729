// SPDX-License-Identifier: Apache-2.0

/// The right to one link. It is given back once, however often that is tried.
package struct SlotToken: Hashable, Sendable {
    let number: UInt64
}

/// What the pool wants done.
package enum LinkPoolAction: Hashable, Sendable {
    /// The accessory has a slot: dial, or go on with the link that came about.
    case grant(SlotToken, to: AccessoryIdentity)
    /// End this link, for another accessory. Its slot is given back when it has ended.
    case evict(SlotToken, holder: AccessoryIdentity, sakeOf: AccessoryIdentity)
    /// The accessory waits for a slot: told when the wait begins, and again when it turns out that the
    /// room that was being made for it is another's.
    case wait(AccessoryIdentity, OutOfConnectionSlots)
    /// The accessory whose standing connect came about keeps its link, but has to wait before it uses it.
    case keepWaiting(AccessoryIdentity)
    /// There is no slot for the accessory whose standing connect came about: end that link. It waits.
    case turnAway(AccessoryIdentity, OutOfConnectionSlots)
    /// Holders, waiting accessories or the limit are others now.
    case changed
}

/// A slot that somebody has.
struct PoolSlot {
    let token: SlotToken
    var identity: AccessoryIdentity
    var priority: Int
    var phase: ConnectionHolder.Phase
    let since: Duration
    var lastHeard: Duration
    var signal: Int?
    /// For whom it is being ended.
    var sake: AccessoryIdentity?

    func holder(now: Duration) -> ConnectionHolder {
        ConnectionHolder(
            identity: identity,
            priority: priority,
            phase: phase,
            held: now - since,
            silence: now - lastHeard,
            signal: signal
        )
    }
}

/// Somebody who waits for a slot.
struct PoolWaiter {
    /// Each time that it waits so long, an accessory goes before those of one priority more: so nobody
    /// waits for ever, whatever the priorities of those who come.
    static let agingStep = Duration.seconds(30)

    var identity: AccessoryIdentity
    var priority: Int
    let since: Duration
    /// The order in which they came.
    let number: Int
    /// Whether its link is there already, by a standing connect.
    var hasLink = false
    /// Whether it was told that there will be room.
    var isPromised = false

    func request(now: Duration) -> ConnectionRequest {
        ConnectionRequest(identity: identity, priority: priority, waited: now - since)
    }

    func goesBefore(_ other: PoolWaiter, now: Duration) -> Bool {
        if hasLink != other.hasLink { return hasLink }
        let ranks = (rank(now: now), other.rank(now: now))
        return ranks.0 == ranks.1 ? number < other.number : ranks.0 > ranks.1
    }

    private func rank(now: Duration) -> Double {
        Double(priority) + ((now - since) / Self.agingStep).rounded(.down)
    }
}

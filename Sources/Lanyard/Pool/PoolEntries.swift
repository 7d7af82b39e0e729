// SPDX-License-Identifier: Apache-2.0

/// The token for one slot. Its holder returns it with `LinkPool.release` or
/// `LinkPool.capacityFailed`. Returning it again has no effect.
package struct SlotToken: Hashable, Sendable {
    let number: UInt64
}

/// An action of the pool.
package enum LinkPoolAction: Hashable, Sendable {
    /// The accessory has a slot: start the connection attempt, or use the existing link.
    case grant(SlotToken, to: AccessoryIdentity)
    /// End this link in favor of another accessory. Its slot is released when the link has ended.
    case evict(SlotToken, holder: AccessoryIdentity, beneficiary: AccessoryIdentity)
    /// The accessory waits for a slot. Repeated, for example, if the slot that was promised to it
    /// goes to another accessory.
    case wait(AccessoryIdentity, OutOfConnectionSlots)
    /// Keep the link that was made without a slot, but do not use it before a slot is granted.
    case keepWaiting(AccessoryIdentity)
    /// End the link that was made without a slot, because no slot is free for it. The accessory
    /// waits.
    case turnAway(AccessoryIdentity, OutOfConnectionSlots)
    /// The holders, the waiting accessories or the limit have changed.
    case changed
}

/// A granted slot.
struct PoolSlot {
    let token: SlotToken
    var identity: AccessoryIdentity
    var priority: Int
    var phase: ConnectionHolder.Phase
    let since: Duration
    var lastReceived: Duration
    var signal: Int?
    /// Whether the accessory is being paired for the first time.
    var isPairing = false
    /// The accessory in whose favor the link is being ended.
    var beneficiary: AccessoryIdentity?

    func holder(now: Duration) -> ConnectionHolder {
        ConnectionHolder(
            identity: identity,
            priority: priority,
            phase: phase,
            held: now - since,
            silence: now - lastReceived,
            signal: signal,
            isPairing: isPairing
        )
    }
}

/// An accessory that waits for a slot.
struct PoolWaiter {
    /// The waiting time that raises the priority of an accessory by one, so that later accessories
    /// of greater priority do not always go first.
    static let agingStep = Duration.seconds(30)

    var identity: AccessoryIdentity
    var priority: Int
    let since: Duration
    /// Whether the accessory is being paired for the first time.
    let isPairing: Bool
    /// The position in the order of arrival.
    let number: Int
    /// Whether the accessory has a link already, which was made without a slot.
    var hasLink = false
    /// Whether the accessory was informed that a slot will become free.
    var isSlotPromised = false
    /// The time when the accessory was last seen; `nil` if it never was.
    var lastSeen: Duration?
    /// The end of the running search for the accessory; `nil` if none is running.
    var searchEnd: Duration?
    /// The earliest time of the next search.
    var nextSearch: Duration?

    /// Returns whether the accessory is in range, so that another link may end for it. An existing
    /// link proves that.
    func isInRange(now: Duration) -> Bool {
        hasLink || lastSeen.map { now - $0 <= LinkPool.inRangeLimit } ?? false
    }

    /// Starts a search for the accessory, or ends one that took too long.
    mutating func search(now: Duration) {
        if let searchEnd {
            guard searchEnd <= now else { return }
            self.searchEnd = nil
            nextSearch = now + LinkPool.searchPause
        } else if nextSearch ?? now <= now {
            searchEnd = now + LinkPool.searchTime
        }
    }

    func request(now: Duration) -> ConnectionRequest {
        ConnectionRequest(
            identity: identity,
            priority: priority,
            waited: now - since,
            isPairing: isPairing
        )
    }

    func goesBefore(_ other: PoolWaiter, now: Duration) -> Bool {
        if hasLink != other.hasLink { return hasLink }
        // A person waits for a pairing.
        if isPairing != other.isPairing { return isPairing }
        let ranks = (rank(now: now), other.rank(now: now))
        return ranks.0 == ranks.1 ? number < other.number : ranks.0 > ranks.1
    }

    private func rank(now: Duration) -> Double {
        Double(priority) + ((now - since) / Self.agingStep).rounded(.down)
    }
}

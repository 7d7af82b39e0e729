// SPDX-License-Identifier: Apache-2.0

/// The rules that decide which accessories may have a link when the number of links is limited.
///
/// - A slot is reserved before a connection attempt. If none is free, the accessory waits.
/// - A slot is released when the link has ended, not when its end is requested: until then, the
///   controller has no room.
/// - A pending connection request has no slot, because it may take days. When it completes, its
///   link claims one.
/// - Waiting accessories that have a link go first, then first pairings. Otherwise priority and
///   waiting time decide (`PoolWaiter.agingStep`).
/// - The `ConnectionPolicy` decides which link makes room, if any does. Before that link ends, the
///   waiting accessory must have been seen recently; if it was not, the owner of the pool searches
///   for it.
///
/// The owner of the pool returns the token of a slot with `release` or `capacityFailed`. A second
/// call has no effect.
package struct LinkPool: Sendable {
    /// The pause between connection attempts after a link was refused, unless a link ends
    /// meanwhile. If other programs hold the links, the pool cannot observe when they end.
    package static let refusalPause = Duration.seconds(4)
    /// The interval at which the policy is asked again while an accessory waits, because its answer
    /// may change with time.
    package static let policyInterval = Duration.seconds(10)

    /// The time after which a waiting accessory that was not seen counts as out of range.
    package static let inRangeLimit = Duration.seconds(30)
    /// The duration of a search for a waiting accessory. The slowest accessories advertise about
    /// every 10 seconds.
    package static let searchTime = Duration.seconds(20)
    /// The pause between two searches, which cost power.
    package static let searchPause = Duration.seconds(120)

    var slots: [PoolSlot] = []
    var waiters: [PoolWaiter] = []
    var limit: LearnedLimit
    let policy: any ConnectionPolicy
    var tokenCount: UInt64 = 0
    var waiterCount = 0
    var pauseEnd: Duration?
    var nextQuestion: Duration?

    /// Creates a pool in which all slots are free.
    package init(limit: ConnectionLimit = .learned, policy: any ConnectionPolicy = .standard) {
        self.limit = LearnedLimit(limit)
        self.policy = policy
    }

    /// Returns a snapshot of the slots and the waiting accessories.
    package func state(now: Duration) -> ConnectionSlots {
        ConnectionSlots(
            limit: limit.value,
            holders: slots.map { $0.holder(now: now) },
            waiting: queue(now: now).map { $0.request(now: now) }
        )
    }

    /// Returns the slot of an accessory.
    package func token(of identity: AccessoryIdentity) -> SlotToken? {
        slots.first { $0.identity == identity }?.token
    }

    /// The time at which `deadlinePassed` must be called; `nil` if no accessory waits.
    package var nextDeadline: Duration? {
        guard !waiters.isEmpty else { return nil }
        let mayTry = pauseEnd == nil && slots.count == limit.value
        return [pauseEnd, mayTry ? limit.nextTrial : nil, nextQuestion].compactMap(\.self).min()
    }

    /// Whether there is a slot for another accessory, as far as the pool knows.
    package var hasFreeSlot: Bool {
        waiters.isEmpty && (limit.value.map { slots.count < $0 } ?? true)
    }

    // MARK: Requests

    /// Requests a slot for a connection attempt. The accessory gets one at once or later, unless
    /// the request is withdrawn.
    ///
    /// - Parameters:
    ///   - identity: The identity of the accessory.
    ///   - priority: The priority from its description.
    ///   - isPairing: Whether the accessory is being paired for the first time.
    ///   - lastSeen: The time when the accessory was last seen; `nil` if it never was.
    ///   - now: The current time.
    package mutating func reserve(
        _ identity: AccessoryIdentity,
        priority: Int,
        isPairing: Bool = false,
        lastSeen: Duration?,
        now: Duration
    ) -> [LinkPoolAction] {
        if let slot = slots.first(where: { $0.identity == identity && $0.phase != .ending }) {
            return [.grant(slot.token, to: identity)]
        }
        if let index = waiters.firstIndex(where: { $0.identity == identity }) {
            waiters[index].priority = priority
            return settle(now: now)
        }
        enqueue(
            identity,
            priority: priority,
            isPairing: isPairing,
            lastSeen: lastSeen,
            since: now
        )
        return settle(now: now) + waitNotice(identity, now: now) + [.changed]
    }

    /// Claims a slot for a link that was made without one.
    package mutating func claim(
        _ identity: AccessoryIdentity,
        priority: Int,
        now: Duration
    ) -> [LinkPoolAction] {
        let waited = waiters.first { $0.identity == identity }
        waiters.removeAll { $0.identity == identity }
        if let index = slots.firstIndex(where: { $0.identity == identity && $0.phase != .ending }) {
            let token = slots[index].token
            return [.grant(token, to: identity)] + linkMade(token, now: now)
        }
        if mayHave(slots.count + 1) {
            limit.reached(linkCount + 1, now: now)
            return [give(identity, priority, phase: .linked, now: now), .changed]
        }
        enqueue(
            identity,
            priority: priority,
            hasLink: true,
            lastSeen: now,
            since: waited?.since ?? now
        )
        let evictions = evict(now: now)
        if slots.contains(where: { $0.beneficiary == identity }) {
            return evictions + [.keepWaiting(identity), .changed]
        }
        loseLink(of: identity)
        return evictions + [.turnAway(identity, outOfSlots(now: now)), .changed]
    }

    /// Records that a waiting accessory was discovered. A search for it is then over.
    package mutating func seen(_ identity: AccessoryIdentity, now: Duration) -> [LinkPoolAction] {
        guard let index = waiters.firstIndex(where: { $0.identity == identity }) else { return [] }
        waiters[index].lastSeen = now
        guard waiters[index].searchEnd != nil else { return [] }
        waiters[index].searchEnd = nil
        return settle(now: now) + [.changed]
    }

    /// The waiting accessories for which the owner must search.
    package var searched: Set<AccessoryIdentity> {
        Set(waiters.lazy.filter { $0.searchEnd != nil }.map(\.identity))
    }

    /// Withdraws a request, because the attempt was canceled or the waiting link has ended.
    package mutating func withdraw(
        _ identity: AccessoryIdentity,
        now: Duration
    ) -> [LinkPoolAction] {
        let count = waiters.count
        waiters.removeAll { $0.identity == identity }
        return waiters.count == count ? [] : settle(now: now) + [.changed]
    }

    // MARK: Links

    /// Records that the connection attempt succeeded.
    package mutating func linkMade(_ token: SlotToken, now: Duration) -> [LinkPoolAction] {
        guard let index = index(of: token), slots[index].phase == .connecting else { return [] }
        slots[index].phase = .linked
        slots[index].lastReceived = now
        limit.reached(linkCount, now: now)
        return [.changed]
    }

    /// Records that data arrived from the accessory.
    package mutating func received(_ token: SlotToken, now: Duration) {
        guard let index = index(of: token) else { return }
        slots[index].lastReceived = now
    }

    /// Records the strength of the signal, in dBm. The controller measures it, so it does not prove
    /// that the accessory is present.
    package mutating func measured(_ token: SlotToken, signal: Int) {
        guard let index = index(of: token) else { return }
        slots[index].signal = signal
    }

    /// Records that the first pairing of an accessory has succeeded.
    package mutating func paired(_ token: SlotToken) -> [LinkPoolAction] {
        guard let index = index(of: token), slots[index].isPairing else { return [] }
        slots[index].isPairing = false
        return [.changed]
    }

    /// Records that the end of the link was requested.
    package mutating func ending(_ token: SlotToken) -> [LinkPoolAction] {
        guard let index = index(of: token), slots[index].phase != .ending else { return [] }
        slots[index].phase = .ending
        return [.changed]
    }

    /// Releases a slot whose link has ended or was not made.
    package mutating func release(_ token: SlotToken, now: Duration) -> [LinkPoolAction] {
        guard let index = index(of: token) else { return [] }
        slots.remove(at: index)
        pauseEnd = nil
        return settle(now: now) + [.changed]
    }

    /// Releases a slot whose link was not made because there are too many links.
    package mutating func capacityFailed(_ token: SlotToken, now: Duration) -> [LinkPoolAction] {
        guard let index = index(of: token) else { return [] }
        slots.remove(at: index)
        limit.refused(beside: linkCount, now: now)
        pauseEnd = now + Self.refusalPause
        return settle(now: now) + [.changed]
    }

    /// Removes all slots and requests, because Bluetooth is not available.
    package mutating func reset() -> [LinkPoolAction] {
        slots = []
        waiters = []
        pauseEnd = nil
        nextQuestion = nil
        return [.changed]
    }

    /// Reconsiders the requests after a deadline.
    package mutating func deadlinePassed(now: Duration) -> [LinkPoolAction] {
        let actions = settle(now: now)
        return actions.isEmpty ? [] : actions + [.changed]
    }

    /// Merges two identities that turned out to be the same accessory.
    package mutating func merge(_ identity: AccessoryIdentity, into other: AccessoryIdentity) {
        for index in slots.indices {
            if slots[index].identity == identity { slots[index].identity = other }
            if slots[index].beneficiary == identity { slots[index].beneficiary = other }
        }
        guard let index = waiters.firstIndex(where: { $0.identity == identity }) else { return }
        let isKnown = waiters.contains { $0.identity == other } || token(of: other) != nil
        if isKnown { waiters.remove(at: index) } else { waiters[index].identity = other }
    }
}

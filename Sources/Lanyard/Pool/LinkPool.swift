// SPDX-License-Identifier: Apache-2.0

/// Who may have a link, where there are only so many.
///
/// - A slot is reserved before an accessory is dialled. Where none is free, it waits.
/// - A slot is given back when the link has ended, not when its end is asked for: the controller has no
///   room before.
/// - A standing connect has no slot: it may take days. When it comes about it claims one.
/// - Who waits is served by priority, and by how long it waited (`PoolWaiter.agingStep`).
/// - Which link makes room, if any does, is up to the `ConnectionPolicy`.
///
/// Each accessory has one slot or waits once. Whoever has a token gives it back by `release`, or by
/// `capacityFailed`; to do it twice changes nothing.
package struct LinkPool: Sendable {
    /// How long nobody is dialled after a link was refused, if none ends meanwhile: where others have the
    /// links, nothing tells when they let go of them.
    package static let refusalPause = Duration.seconds(4)
    /// How often the policy is asked again while somebody waits: what it looks at changes with time.
    package static let policyInterval = Duration.seconds(10)

    var slots: [PoolSlot] = []
    var waiters: [PoolWaiter] = []
    var limit: LearnedLimit
    let policy: any ConnectionPolicy
    var tokenCount: UInt64 = 0
    var waiterCount = 0
    var pauseEnd: Duration?
    var nextQuestion: Duration?

    /// A pool in which all slots are free.
    package init(limit: ConnectionLimit = .learned, policy: any ConnectionPolicy = .standard) {
        self.limit = LearnedLimit(limit)
        self.policy = policy
    }

    /// Who has a slot, and who waits.
    package func state(now: Duration) -> ConnectionSlots {
        ConnectionSlots(
            limit: limit.value,
            holders: slots.map { $0.holder(now: now) },
            waiting: queue(now: now).map { $0.request(now: now) }
        )
    }

    /// The slot that an accessory has.
    package func token(of identity: AccessoryIdentity) -> SlotToken? {
        slots.first { $0.identity == identity }?.token
    }

    /// When `deadlinePassed` is to be called; nil while time changes nothing.
    package var nextDeadline: Duration? {
        guard !waiters.isEmpty else { return nil }
        let mayTry = pauseEnd == nil && slots.count == limit.value
        return [pauseEnd, mayTry ? limit.nextTrial : nil, nextQuestion].compactMap(\.self).min()
    }

    // MARK: Asking

    /// An accessory is to be dialled. It gets a slot at once or later, or is withdrawn.
    package mutating func reserve(
        _ identity: AccessoryIdentity,
        priority: Int,
        now: Duration
    ) -> [LinkPoolAction] {
        if let slot = slots.first(where: { $0.identity == identity && $0.phase != .ending }) {
            return [.grant(slot.token, to: identity)]
        }
        if let index = waiters.firstIndex(where: { $0.identity == identity }) {
            waiters[index].priority = priority
            return settle(now: now)
        }
        enqueue(identity, priority: priority, since: now)
        return settle(now: now) + waitNotice(identity, now: now) + [.changed]
    }

    /// A standing connect came about: the link is there, and needs a slot.
    package mutating func claim(
        _ identity: AccessoryIdentity,
        priority: Int,
        now: Duration
    ) -> [LinkPoolAction] {
        let waited = waiters.first { $0.identity == identity }
        waiters.removeAll { $0.identity == identity }
        if let index = slots.firstIndex(where: { $0.identity == identity && $0.phase != .ending }) {
            slots[index].phase = .linked
            return [.grant(slots[index].token, to: identity)]
        }
        if mayHave(slots.count + 1) {
            limit.proved(slots.count + 1, now: now)
            return [give(identity, priority, phase: .linked, now: now), .changed]
        }
        enqueue(identity, priority: priority, hasLink: true, since: waited?.since ?? now)
        let evictions = evict(now: now)
        if slots.contains(where: { $0.sake == identity }) {
            return evictions + [.keepWaiting(identity), .changed]
        }
        loseLink(of: identity)
        return evictions + [.turnAway(identity, outOfSlots(now: now)), .changed]
    }

    /// An accessory is not to be dialled any more, or the link that it waited with has ended.
    package mutating func withdraw(
        _ identity: AccessoryIdentity,
        now: Duration
    ) -> [LinkPoolAction] {
        let count = waiters.count
        waiters.removeAll { $0.identity == identity }
        return waiters.count == count ? [] : settle(now: now) + [.changed]
    }

    // MARK: Links

    /// The accessory that was dialled is connected.
    package mutating func linkMade(_ token: SlotToken, now: Duration) -> [LinkPoolAction] {
        guard let index = index(of: token), slots[index].phase == .dialling else { return [] }
        slots[index].phase = .linked
        slots[index].lastHeard = now
        limit.proved(linkCount, now: now)
        return [.changed]
    }

    /// Something came from the accessory.
    package mutating func heard(_ token: SlotToken, now: Duration) {
        guard let index = index(of: token) else { return }
        slots[index].lastHeard = now
    }

    /// The strength of its signal was measured, in dBm. That is the controller's word, and no proof that the
    /// accessory is there.
    package mutating func measured(_ token: SlotToken, signal: Int) {
        guard let index = index(of: token) else { return }
        slots[index].signal = signal
    }

    /// The end of its link was asked for.
    package mutating func ending(_ token: SlotToken) -> [LinkPoolAction] {
        guard let index = index(of: token), slots[index].phase != .ending else { return [] }
        slots[index].phase = .ending
        return [.changed]
    }

    /// Its link has ended, or was not made.
    package mutating func release(_ token: SlotToken, now: Duration) -> [LinkPoolAction] {
        guard let index = index(of: token) else { return [] }
        slots.remove(at: index)
        pauseEnd = nil
        return settle(now: now) + [.changed]
    }

    /// Its link was not made because there are too many.
    package mutating func capacityFailed(_ token: SlotToken, now: Duration) -> [LinkPoolAction] {
        guard let index = index(of: token) else { return [] }
        slots.remove(at: index)
        limit.refused(beside: linkCount, now: now)
        pauseEnd = now + Self.refusalPause
        return settle(now: now) + [.changed]
    }

    /// There is no adapter any more: all links are gone, and nobody waits.
    package mutating func reset() -> [LinkPoolAction] {
        slots = []
        waiters = []
        pauseEnd = nil
        nextQuestion = nil
        return [.changed]
    }

    /// Time has come to look again.
    package mutating func deadlinePassed(now: Duration) -> [LinkPoolAction] {
        let actions = settle(now: now)
        return actions.isEmpty ? [] : actions + [.changed]
    }

    /// Two that were taken for different accessories are one.
    package mutating func merge(_ identity: AccessoryIdentity, into other: AccessoryIdentity) {
        for index in slots.indices where slots[index].identity == identity {
            slots[index].identity = other
        }
        guard let index = waiters.firstIndex(where: { $0.identity == identity }) else { return }
        let isKnown = waiters.contains { $0.identity == other } || token(of: other) != nil
        if isKnown { waiters.remove(at: index) } else { waiters[index].identity = other }
    }
}

// SPDX-License-Identifier: Apache-2.0

// Granting slots to waiting accessories, and ending links in their favor.
extension LinkPool {
    /// Grants free slots to waiting accessories, and ends links in favor of those that still wait.
    /// Returns the actions for this, and the notices for accessories to which a slot is no longer
    /// promised.
    mutating func settle(now: Duration) -> [LinkPoolAction] {
        if let pauseEnd, pauseEnd <= now { self.pauseEnd = nil }
        var actions: [LinkPoolAction] = []
        for waiter in queue(now: now) {
            guard hasRoom(for: waiter, now: now) else { break }
            waiters.removeAll { $0.identity == waiter.identity }
            let phase: ConnectionHolder.Phase = waiter.hasLink ? .linked : .connecting
            actions.append(
                give(
                    waiter.identity,
                    waiter.priority,
                    phase: phase,
                    isPairing: waiter.isPairing,
                    now: now
                )
            )
        }
        return actions + evict(now: now) + withdrawPromises(now: now)
    }

    /// Asks the policy for each waiting accessory which link to end in its favor. An accessory that
    /// will get the slot of an ending link is left out.
    mutating func evict(now: Duration) -> [LinkPoolAction] {
        nextQuestion = waiters.isEmpty ? nil : now + Self.policyInterval
        guard let value = limit.value, slots.count >= value else { return [] }
        var actions: [LinkPoolAction] = []
        // Links that are already ending make room for the first accessories.
        for waiter in unservedQueue(now: now).dropFirst(unassignedEndingCount) {
            let links = slots.filter { $0.phase == .linked }.map { $0.holder(now: now) }
            guard !links.isEmpty else { break }
            let chosen = policy.linkToEnd(for: waiter.request(now: now), among: links)
            guard let chosen,
                let index = slots.firstIndex(where: {
                    $0.identity == chosen && $0.phase == .linked
                })
            else {
                change(waiter) { $0.searchEnd = nil }
                continue
            }
            guard waiter.isInRange(now: now) else {
                change(waiter) { $0.search(now: now) }
                continue
            }
            slots[index].phase = .ending
            slots[index].beneficiary = waiter.identity
            actions.append(.evict(slots[index].token, holder: chosen, beneficiary: waiter.identity))
        }
        return actions
    }

    private mutating func change(_ waiter: PoolWaiter, _ body: (inout PoolWaiter) -> Void) {
        guard let index = waiters.firstIndex(where: { $0.identity == waiter.identity }) else {
            return
        }
        body(&waiters[index])
    }

    mutating func give(
        _ identity: AccessoryIdentity,
        _ priority: Int,
        phase: ConnectionHolder.Phase,
        isPairing: Bool = false,
        now: Duration
    ) -> LinkPoolAction {
        tokenCount += 1
        let token = SlotToken(number: tokenCount)
        slots.append(
            PoolSlot(
                token: token,
                identity: identity,
                priority: priority,
                phase: phase,
                since: now,
                lastReceived: now,
                isPairing: isPairing
            )
        )
        return .grant(token, to: identity)
    }

    mutating func enqueue(
        _ identity: AccessoryIdentity,
        priority: Int,
        hasLink: Bool = false,
        isPairing: Bool = false,
        lastSeen: Duration?,
        since: Duration
    ) {
        waiterCount += 1
        waiters.append(
            PoolWaiter(
                identity: identity,
                priority: priority,
                since: since,
                isPairing: isPairing,
                number: waiterCount,
                hasLink: hasLink,
                lastSeen: lastSeen
            )
        )
    }

    // MARK: Lookup

    func index(of token: SlotToken) -> Int? {
        // Slots are appended with ascending numbers.
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].token.number < token.number { low = middle + 1 } else { high = middle }
        }
        return low < slots.count && slots[low].token == token ? low : nil
    }

    /// Returns the waiting accessories in the order in which they get slots.
    func queue(now: Duration) -> [PoolWaiter] {
        waiters.sorted { $0.goesBefore($1, now: now) }
    }

    /// The accessories in whose favor a link is being ended.
    private var beneficiaries: Set<AccessoryIdentity> {
        Set(slots.compactMap { $0.phase == .ending ? $0.beneficiary : nil })
    }

    /// Returns the waiting accessories in whose favor no link is being ended, next one first.
    private func unservedQueue(now: Duration) -> [PoolWaiter] {
        let beneficiaries = beneficiaries
        return queue(now: now).filter { !beneficiaries.contains($0.identity) }
    }

    /// Returns whether a waiting accessory can have a slot. For a link that exists already, only a
    /// fixed limit counts.
    private mutating func hasRoom(for waiter: PoolWaiter, now: Duration) -> Bool {
        if waiter.hasLink { return mayHave(slots.count + 1) }
        return pauseEnd == nil && limit.admits(slots.count, now: now)
    }

    /// The number of links of the controller, as far as the pool knows.
    var linkCount: Int {
        slots.count { $0.phase != .connecting } + waiters.count { $0.hasLink }
    }

    /// Returns whether this many existing links are permitted. Only a fixed limit counts: if the
    /// learned limit is lower, the existing links disprove it.
    func mayHave(_ count: Int) -> Bool {
        limit.fixed.map { count <= $0 } ?? true
    }

    mutating func loseLink(of identity: AccessoryIdentity) {
        guard let index = waiters.firstIndex(where: { $0.identity == identity }) else { return }
        waiters[index].hasLink = false
    }

    mutating func waitNotice(_ identity: AccessoryIdentity, now: Duration) -> [LinkPoolAction] {
        guard let index = waiters.firstIndex(where: { $0.identity == identity }) else { return [] }
        var slots = outOfSlots(now: now)
        slots.isMakingRoom = isMakingRoom(for: identity, now: now)
        waiters[index].isSlotPromised = slots.isMakingRoom
        return [.wait(identity, slots)]
    }

    /// Informs the accessories that no longer get the slot that was promised to them.
    private mutating func withdrawPromises(now: Duration) -> [LinkPoolAction] {
        let promised = waiters.filter {
            $0.isSlotPromised && !isMakingRoom(for: $0.identity, now: now)
        }
        return promised.flatMap { waitNotice($0.identity, now: now) }
    }

    /// Returns whether a slot will become free for this accessory. There are three cases:
    ///
    /// - A link is being ended for it.
    /// - It is next in the queue for the slot of another ending link.
    /// - It is being paired and searched for. When the search finds it, a link will end for it.
    private func isMakingRoom(for identity: AccessoryIdentity, now: Duration) -> Bool {
        let others = unservedQueue(now: now)
        return beneficiaries.contains(identity)
            || others.prefix(unassignedEndingCount).contains { $0.identity == identity }
            || waiters.contains { $0.identity == identity && $0.isPairing && $0.searchEnd != nil }
    }

    func outOfSlots(now: Duration) -> OutOfConnectionSlots {
        OutOfConnectionSlots(
            limit: limit.value ?? slots.count,
            holders: slots.map { $0.holder(now: now) }
        )
    }

    /// The number of ending links whose slots go to the next accessories in the queue. A link that
    /// ends in favor of an accessory that still waits does not count.
    private var unassignedEndingCount: Int {
        let waiting = Set(waiters.map(\.identity))
        return slots.count { slot in
            slot.phase == .ending && !(slot.beneficiary.map { waiting.contains($0) } ?? false)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

// Connection slots: the requests of the state machines, and the decisions of the pool.

extension CentralDriver {
    func reserveSlot(_ request: SlotRequest, for entry: AccessoryEntry) {
        guard let identity = entry.identity else { return }
        let priority = entry.description.priority
        switch request {
        case .request:
            let lastSeen = isInRange(entry) ? now : entry.machine.lastInRange
            let actions = pool.reserve(
                identity,
                priority: priority,
                isPairing: entry.remembered == nil,
                lastSeen: lastSeen,
                now: now
            )
            perform(actions)
        case .existingLink: perform(pool.claim(identity, priority: priority, now: now))
        }
    }

    /// Returns whether an accessory is certainly in range, because it is connected to the system or
    /// a subscription counts it as present.
    private func isInRange(_ entry: AccessoryEntry) -> Bool {
        if let peripheral = entry.peripheral, system?.linkState(of: peripheral) == .connected {
            return true
        }
        guard let identity = entry.identity else { return false }
        return watches.values.contains { $0.isPresent(identity) }
    }

    /// Records that an accessory without a link was discovered.
    func slotRequesterDiscovered(_ entry: AccessoryEntry) {
        guard let identity = entry.identity else { return }
        let actions = pool.seen(identity, now: now)
        if !actions.isEmpty { perform(actions) }
    }

    func releaseSlot(limitReached: Bool, of entry: AccessoryEntry) {
        guard let slot = entry.slot else {
            guard let identity = entry.identity else { return }
            return perform(pool.withdraw(identity, now: now))
        }
        entry.slot = nil
        record(
            .note,
            limitReached ? "slot released: the limit of links is reached" : "slot released",
            entry
        )
        perform(
            limitReached ? pool.capacityFailed(slot, now: now) : pool.release(slot, now: now)
        )
        if !limitReached, pool.hasFreeSlot { slotFreed() }
    }

    /// Informs the first accessory of the greatest priority among those whose pending connection
    /// requests the system refused for lack of room.
    private func slotFreed() {
        let refused = entries.lazy.filter { [now] in $0.machine.isRefused(at: now) }
        let first = refused.max { $0.description.priority < $1.description.priority }
        if let first { feed(.slot(.freed), to: first) }
    }

    func poolDeadlinePassed() {
        guard !hasEnded else { return }
        perform(pool.deadlinePassed(now: now))
    }

    /// Records that data arrived from an accessory, which proves that its link is alive.
    func received(_ entry: AccessoryEntry) {
        if let identifier = entry.peripheral?.identifier {
            identities.received(identifier, now: now)
        }
        if let slot = entry.slot { pool.received(slot, now: now) }
    }

    func perform(_ actions: [LinkPoolAction]) {
        for action in actions { perform(action) }
        poolTimer?.set(to: pool.nextDeadline)
        // The pool may have begun or ended a search.
        updateScan()
    }

    private func perform(_ action: LinkPoolAction) {
        switch action {
        case .grant(let slot, let identity): grant(slot, to: identity)
        case .evict(_, let holder, let identity): evict(holder, for: identity)
        case .turnAway(let identity, let slots):
            reportSlots(slots, to: identity) { .denied($0) }
        case .wait(let identity, let slots): reportSlots(slots, to: identity) { .delayed($0) }
        case .changed: showSlots()
        case .keepWaiting: break
        }
    }

    private func grant(_ slot: SlotToken, to identity: AccessoryIdentity) {
        guard let entry = entry(of: identity) else {
            return perform(pool.release(slot, now: now))
        }
        entry.slot = slot
        record(.note, "slot reserved", entry)
        feed(.slot(.granted), to: entry)
        reportSlotHolders()
    }

    /// Informs each waiting pairing of the current slot holders, because another accessory received
    /// a slot.
    private func reportSlotHolders() {
        for entry in entries where !entry.isShown {
            guard let identity = entry.identity else { continue }
            for notice in pool.waitNotice(identity, now: now) { perform(notice) }
        }
    }

    private func evict(_ holder: AccessoryIdentity, for identity: AccessoryIdentity) {
        guard let entry = entry(of: holder) else { return }
        record(.note, "evicted", entry, detail: "for \(name(of: identity))")
        feed(.slot(.revoked), to: entry)
    }

    /// Returns the name of an accessory for messages to people.
    private func name(of identity: AccessoryIdentity) -> String {
        entry(of: identity)?.name ?? "\(identity)"
    }

    /// Shows the slots with the names of the accessories, which the pool does not know. With many
    /// accessories that takes time, and few apps read it.
    private func showSlots() {
        let (pool, snapshots, now) = (pool, index.snapshots, now)
        slots.show {
            var slots = pool.state(now: now)
            for place in slots.holders.indices {
                slots.holders[place].name = snapshots[slots.holders[place].identity]?.name
            }
            for place in slots.waiting.indices {
                slots.waiting[place].name = snapshots[slots.waiting[place].identity]?.name
            }
            return slots
        }
    }

    private func reportSlots(
        _ slots: OutOfConnectionSlots,
        to identity: AccessoryIdentity,
        _ event: (AttemptRecord.Slots) -> SlotEvent
    ) {
        guard let entry = entry(of: identity) else { return }
        let holders = slots.holders.map { name(of: $0.identity) }.joined(separator: ", ")
        record(.note, "slot refused", entry, detail: "all \(slots.limit) are held by \(holders)")
        var named = slots
        for index in named.holders.indices {
            named.holders[index].name = self.entry(of: named.holders[index].identity)?.snapshot.name
        }
        entry.snapshot.setSlots(named)
        let brief = AttemptRecord.Slots(inUse: slots.holders.count, limit: slots.limit)
        feed(.slot(event(brief)), to: entry)
    }
}

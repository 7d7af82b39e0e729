// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Advertiser {
    /// Brings the controller one order closer to what is wanted, and hands out what was decided: the
    /// last thing that every input does.
    mutating func settle(now: Instant) -> [Action] {
        wake(now: now)
        settleAdmissions()
        tellEnds()
        dropEnded()
        if outstanding == nil, let dialect, let order = nextOrder(dialect, now: now) {
            issue(order, in: dialect)
        }
        announce(now: now)
        settlePause()
        defer { outbox = [] }
        return outbox
    }

    /// Tells that nothing is on the air, once it is so.
    private mutating func settlePause() {
        guard pause == .asked, outstanding == nil, sets.allSatisfy({ $0.activity == .off }) else {
            return
        }
        pause = .made
        outbox.append(.quiet)
    }

    private mutating func issue(_ order: AdvertisingOrder, in dialect: CommandDialect) {
        stepCount += 1
        let step = AdvertisingStep(number: stepCount, order: order)
        outstanding = step
        outbox.append(.command(dialect.command(for: order), step))
    }

    /// What to order next: first end what must not go on, which makes room for others.
    private func nextOrder(_ dialect: CommandDialect, now: Instant) -> AdvertisingOrder? {
        let isListReady = nextEdit == nil && admissions.isListOurs
        for isWanted in [false, true] {
            for set in sets where set.isWanted == isWanted {
                let circumstances = AdvertisingSetState.Circumstances(
                    dialect: dialect,
                    knowsPower: power[set.handle] != nil,
                    isListReady: isListReady,
                    use: use,
                    isHeld: pause != .none,
                    now: now
                )
                if let order = set.nextOrder(circumstances) { return order }
            }
        }
        guard admissions.isListOurs, !sets.contains(where: \.usesAcceptList) else { return nil }
        return nextEdit
    }

    /// Tells of sets that are over, as soon as they are off the air.
    private mutating func tellEnds() {
        for index in sets.indices where !sets[index].isEndTold && !isBusyEnding(sets[index]) {
            guard let end = sets[index].end else { continue }
            sets[index].isEndTold = true
            outbox.append(.ended(sets[index].id, end))
        }
    }

    private func isBusyEnding(_ set: AdvertisingSetState) -> Bool {
        guard dialect != nil else { return false }
        if case .enable(set.handle, _, _) = outstanding?.order { return true }
        return set.activity != .off
    }

    /// Forgets the sets of which the controller has nothing any more.
    private mutating func dropEnded() {
        guard let dialect else { return sets.removeAll { $0.isEndTold } }
        sets.removeAll { set in
            set.isEndTold && set.activity == .off && outstanding?.order.set != set.handle
                && !(set.mayExist && dialect.isExtended)
        }
        power = power.filter { entry in sets.contains { $0.handle == entry.key } }
    }

    /// Tells of sets that have come into force.
    private mutating func announce(now: Instant) {
        guard let dialect else { return }
        for index in sets.indices {
            let set = sets[index]
            guard set.isWanted, !set.isAnnounced, let recipe = set.recipe,
                outstanding?.order.set != set.handle, set.isInForce(dialect, use, now: now),
                !set.wantsAcceptList || nextEdit == nil
            else { continue }
            sets[index].isAnnounced = true
            outbox.append(.inForce(set.id, recipe.layout))
        }
    }
}

extension AdvertisingSetState {
    /// Whether the controller does what is wanted, or is kept from it by what it has to do besides.
    fileprivate func isInForce(_ dialect: CommandDialect, _ use: RadioUse, now: Instant) -> Bool {
        if isOutOfLinks { return true }
        if let recipe, !dialect.allows(recipe.parameters, beside: use) { return activity == .off }
        let settled = Circumstances(
            dialect: dialect,
            knowsPower: true,
            isListReady: true,
            use: use,
            isHeld: false,
            now: now
        )
        return activity == .on && nextOrder(settled) == nil
    }
}

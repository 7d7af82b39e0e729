// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Advertiser {
    /// Issues the next operation and returns the actions. Every input ends with this call.
    mutating func settle(now: Instant) -> [Action] {
        endBackoffs(now: now)
        updateAcceptListRequest()
        reportEnds()
        dropEnded()
        if outstanding == nil, let dialect, let operation = nextOperation(dialect, now: now) {
            issue(operation, in: dialect)
        }
        announce(now: now)
        settlePause()
        defer { outbox = [] }
        return outbox
    }

    /// Answers `hold` once no set is on the air.
    private mutating func settlePause() {
        guard pause == .asked, outstanding == nil, sets.allSatisfy({ $0.activity == .off }) else {
            return
        }
        pause = .made
        outbox.append(.quiet)
    }

    private mutating func issue(_ operation: AdvertisingOperation, in dialect: CommandDialect) {
        stepCount += 1
        let step = AdvertisingStep(number: stepCount, operation: operation)
        outstanding = step
        if case .enable(let handle, _, _) = operation {
            for index in sets.indices where sets[index].handle == handle {
                sets[index].needsRefresh = false
            }
        }
        outbox.append(.command(dialect.command(for: operation), step))
    }

    /// Returns the next operation. Sets that end come first, because they make room for others.
    private func nextOperation(_ dialect: CommandDialect, now: Instant) -> AdvertisingOperation? {
        guard unansweredStopCount < Self.unansweredStopLimit else { return nil }
        let isListReady = nextEdit == nil && admissions.ownsAcceptList
        for isRequested in [false, true] {
            for set in sets where set.isRequested == isRequested {
                let conditions = AdvertisingSetState.Conditions(
                    dialect: dialect,
                    knowsPower: power[set.handle] != nil,
                    isListReady: isListReady,
                    activities: activities,
                    isHeld: pause != .none,
                    now: now
                )
                if let operation = set.nextOperation(conditions) { return operation }
            }
        }
        guard admissions.ownsAcceptList, !sets.contains(where: \.usesAcceptList) else { return nil }
        return nextEdit
    }

    /// Reports the end of sets that are off the air.
    private mutating func reportEnds() {
        for index in sets.indices where !sets[index].isEndReported && !isBusyEnding(sets[index]) {
            guard let end = sets[index].end else { continue }
            sets[index].isEndReported = true
            outbox.append(.ended(sets[index].id, end))
        }
    }

    private func isBusyEnding(_ set: AdvertisingSetState) -> Bool {
        guard dialect != nil else { return false }
        if case .enable(set.handle, _, _) = outstanding?.operation { return true }
        return set.activity != .off
    }

    /// Removes the sets that the controller no longer stores.
    private mutating func dropEnded() {
        guard let dialect else { return sets.removeAll { $0.isEndReported } }
        sets.removeAll { set in
            set.isEndReported && set.activity == .off && outstanding?.operation.set != set.handle
                && !(set.mayExist && dialect.isExtended)
        }
        power = power.filter { entry in sets.contains { $0.handle == entry.key } }
    }

    /// Reports the sets that are in force now.
    private mutating func announce(now: Instant) {
        guard let dialect else { return }
        for index in sets.indices {
            let set = sets[index]
            guard set.isRequested, !set.isAnnounced, let configuration = set.configuration,
                outstanding?.operation.set != set.handle,
                set.isInForce(dialect, activities, now: now),
                !set.needsAcceptList || nextEdit == nil
            else { continue }
            sets[index].isAnnounced = true
            outbox.append(.inForce(set.id, configuration.layout))
        }
    }
}

extension AdvertisingSetState {
    /// Returns whether the controller advertises as requested, or only the limit of links or
    /// another activity prevents it.
    fileprivate func isInForce(
        _ dialect: CommandDialect,
        _ activities: ControllerActivities,
        now: Instant
    ) -> Bool {
        if isOutOfLinks { return true }
        if let configuration, !dialect.allows(configuration.parameters, beside: activities) {
            return activity == .off
        }
        let settled = Conditions(
            dialect: dialect,
            knowsPower: true,
            isListReady: true,
            activities: activities,
            isHeld: false,
            now: now
        )
        return activity == .on && nextOperation(settled) == nil
    }
}

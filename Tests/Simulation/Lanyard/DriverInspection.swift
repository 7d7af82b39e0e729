// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth

@testable import Lanyard

/// The invariants of a driver between two of its turns.
struct DriverInspection {
    let driver: CentralDriver

    /// Returns the first violation, or `nil` if there is none.
    static func violation(in driver: CentralDriver) async -> String? {
        await withCheckedContinuation { answer in
            driver.execute(orElse: { answer.resume(returning: nil) }) { driver in
                answer.resume(returning: DriverInspection(driver: driver).violation)
            }
        }
    }

    /// Returns the number of slots that are used or awaited.
    static func slotCount(in driver: CentralDriver) async -> Int {
        await withCheckedContinuation { answer in
            driver.execute(orElse: { answer.resume(returning: 0) }) { driver in
                answer.resume(returning: driver.pool.slots.count + driver.pool.waiters.count)
            }
        }
    }

    private var violation: String? {
        slotViolation ?? driver.entries.lazy.compactMap { violation(of: $0) }.first
    }

    /// A violation of the rules of slots: they do not exceed the limit, and each has an owner.
    private var slotViolation: String? {
        let state = driver.pool.state(now: driver.now)
        if let limit = driver.pool.limit.fixed, state.holders.count > limit {
            return "\(state.holders.count) slots of \(limit) are held"
        }
        let held = Set(driver.entries.compactMap(\.slot))
        let given = Set(driver.pool.slots.map(\.token))
        return held == given ? nil : "slots \(given) are given, and \(held) are held"
    }

    private func violation(of entry: AccessoryEntry) -> String? {
        let state = entry.machine.state
        if state.slotPurpose == nil, entry.slot != nil {
            return "\(entry.name) is \(state), with a slot"
        }
        guard case .ready(let peripheral, _) = state else { return nil }
        if entry.slot == nil { return "\(entry.name) is ready without a slot" }
        if driver.system?.linkState(of: peripheral) != .connected { return nil }
        for path in entry.description.subscribedPaths {
            guard let characteristic = entry.characteristic(path), characteristic.isNotifying
            else {
                return "\(entry.name) is ready, and not subscribed to \(path)"
            }
        }
        return nil
    }
}

extension AccessoryDescription {
    fileprivate var subscribedPaths: [CharacteristicPath] {
        services.flatMap { service in
            service.characteristics.filter { $0.roles.contains(.subscribe) }.map {
                CharacteristicPath(service.identifier, $0.identifier)
            }
        }
    }
}

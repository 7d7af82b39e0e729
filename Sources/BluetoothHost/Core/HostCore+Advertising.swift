// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// Advertising: the requested sets, and the requests that wait until a set is in force.
extension HostCore {
    /// Returns whether a set has not ended.
    package func isAdvertising(_ set: RequestIdentifier) -> Bool {
        advertisingWaiters[set] != nil
    }

    /// Starts an advertising set, which continues until it is stopped or ends by itself. A
    /// `completed` action follows when the set is in force or has failed, and the event
    /// `advertisingEnded` when the set has ended. The request identifies the set.
    package mutating func startAdvertising(
        _ advertising: Advertising,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard obstacle != .closed else { return fail(id, HostError.closed) }
        advertisingWaiters[id] = [id]
        let address = takeSetAddress()
        let actions = advertiser.add(id.rawValue, advertising, address: address, now: now)
        perform(actions, now: now)
    }

    /// Replaces the contents of a set. The answer follows when the change is in force.
    package mutating func updateAdvertising(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        id: RequestIdentifier,
        now: Instant
    ) {
        guard advertisingWaiters[set] != nil else { return fail(id, AdvertisingError.ended) }
        do throws(AdvertisingError) {
            let actions = try advertiser.update(set.rawValue, advertising, now: now)
            advertisingWaiters[set]?.append(id)
            perform(actions, now: now)
        } catch {
            fail(id, error)
        }
    }

    /// Stops a set. `advertisingEnded` follows when the controller has stopped it.
    package mutating func stopAdvertising(_ set: RequestIdentifier, now: Instant) {
        perform(advertiser.remove(set.rawValue, now: now), now: now)
    }

    /// Ends a request that the application has canceled. If the request started a set, the set is
    /// stopped. A change of a set remains.
    package mutating func forgetAdvertisingWaiter(_ id: RequestIdentifier, now: Instant) {
        for set in advertisingWaiters.keys { advertisingWaiters[set]?.removeAll { $0 == id } }
        if advertisingWaiters[id] != nil { stopAdvertising(id, now: now) }
    }

    /// Stops all sets, because the host is shut down.
    mutating func stopAllAdvertising(now: Instant) {
        for set in advertisingWaiters.keys {
            perform(advertiser.remove(set.rawValue, because: .closed, now: now), now: now)
        }
    }

    mutating func perform(_ actions: [Advertiser.Action], now: Instant) {
        for action in actions {
            switch action {
            case .command(let command, let step): send(command, for: .advertising(step), now: now)
            case .inForce(let id, let layout):
                let set = RequestIdentifier(rawValue: id)
                for waiter in advertisingWaiters[set] ?? [] {
                    complete(waiter, .advertising(layout))
                }
                if advertisingWaiters[set] != nil { advertisingWaiters[set] = [] }
            case .needsAcceptList(let isNeeded):
                perform(scheduler.reserveAcceptList(isNeeded, now: now), now: now)
            case .quiet: perform(addresses.schedulersStopped(.advertiser, now: now), now: now)
            case .unstoppable: controllerFailed(.unresponsive, now: now)
            case .ended(let id, let end):
                let set = RequestIdentifier(rawValue: id)
                for waiter in advertisingWaiters.removeValue(forKey: set) ?? [] {
                    fail(waiter, end.error)
                }
                emit(.event(.advertisingEnded(set, end)))
            }
        }
        finishShutDown(now: now)
    }
}

extension HostCore {
    /// Passes the current activities of the controller, which may exclude advertising, to the
    /// advertiser.
    mutating func activitiesChanged(now: Instant) {
        var activities = scheduler.activities
        if links.peripheralCount > 0 { activities.insert(.peripheral) }
        if links.peripheralCount < links.count { activities.insert(.central) }
        perform(advertiser.activitiesChanged(to: activities, now: now), now: now)
    }
}

extension AdvertisingEnd {
    /// The error of the requests that wait until the set is in force.
    fileprivate var error: any Error {
        switch self {
        case .failed(let error): error
        case .closed: HostError.closed
        case .stopped, .connected, .durationElapsed, .eventLimitReached: AdvertisingError.ended
        }
    }
}

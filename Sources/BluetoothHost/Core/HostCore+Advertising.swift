// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHCI
import BluetoothTypes

// Advertising: which sets the controller is to have, and who waits for what becomes of them.
extension HostCore {
    /// Whether a set has not ended.
    package func isAdvertising(_ set: RequestIdentifier) -> Bool {
        advertisingWaiters[set] != nil
    }

    /// Asks for a set, which goes on until it is stopped, or ends by itself. The answer is a
    /// `completed` action when it is in force; its end is told by `advertisingEnded`. The request is
    /// the set's name from now on.
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

    /// Asks for something else in the place of a set; the answer comes when that is in force.
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

    /// Gives a set up; `advertisingEnded` tells when it is off the air.
    package mutating func stopAdvertising(_ set: RequestIdentifier, now: Instant) {
        perform(advertiser.remove(set.rawValue, now: now), now: now)
    }

    /// The application waits no more for a wish to come into force. A set that nobody has heard of
    /// yet is given up; one that was changed stays changed.
    package mutating func forgetAdvertisingWaiter(_ id: RequestIdentifier, now: Instant) {
        for set in advertisingWaiters.keys { advertisingWaiters[set]?.removeAll { $0 == id } }
        if advertisingWaiters[id] != nil { stopAdvertising(id, now: now) }
    }

    /// Stops everything, for good.
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
                perform(scheduler.lendAcceptList(isNeeded, now: now), now: now)
            case .quiet: perform(addresses.becameQuiet(.advertiser, now: now), now: now)
            case .ended(let id, let end):
                let set = RequestIdentifier(rawValue: id)
                for waiter in advertisingWaiters.removeValue(forKey: set) ?? [] {
                    fail(waiter, end.error)
                }
                emit(.advertisingEnded(set, end))
            }
        }
        finishShutDown(now: now)
    }
}

// Links that others make to us.
extension HostCore {
    /// Somebody has connected: the link is reported at once. It is ended if nobody is awaited, which
    /// is how a connection ends that came while its set was being stopped.
    mutating func connectionAccepted(_ report: ConnectionReport, now: Instant) {
        let isWelcome = advertiser.awaitsConnections && farewellDeadline == nil
        linkBegan(newLink(report, dial: nil), isIncoming: isWelcome, now: now)
        perform(advertiser.connectionMade(now: now), now: now)
        radioUseChanged(now: now)
    }

    /// Something that may exclude advertising has begun, or ended.
    mutating func radioUseChanged(now: Instant) {
        var use = scheduler.radioUse
        for link in links.values { use.insert(link.role == .peripheral ? .peripheral : .central) }
        perform(advertiser.radioUseChanged(to: use, now: now), now: now)
    }
}

extension AdvertisingEnd {
    /// What those are told who waited for a wish to come into force.
    fileprivate var error: any Error {
        switch self {
        case .failed(let error): error
        case .closed: HostError.closed
        case .stopped, .connected, .durationElapsed, .eventLimitReached: AdvertisingError.ended
        }
    }
}

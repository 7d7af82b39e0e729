// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// The address of a connection request. For a private peer it is the address with which the peer was
// received recently, or else the identity address if the controller resolves the peer. Without
// either, the host searches for the peer first. While a request uses an address that may be stale,
// the host searches at the same time if the controller can do both. If the peer is received with
// another address, the request uses that address at once.
extension HostCore {
    /// The time for which a private address is used before the host searches for another. It is
    /// longer than three of the longest advertising intervals that Apple recommends to accessories.
    static let trialLimit: Duration = .seconds(5)

    /// Passes the request to the scheduler, or searches for the peer.
    mutating func schedule(_ id: RequestIdentifier, now: Instant) {
        guard let dial = dials[id] else { return }
        guard let address = address(for: dial, now: now) else { return look(for: id, now: now) }
        dials[id]?.phase = .dialling
        dials[id]?.address = address
        let isCertain = addresses.resolves(dial.identity) && address == dial.identity
        let isTrial = resolver.knows(dial.identity) && !isCertain
        dials[id]?.trialEndsAt = isTrial ? now + Self.trialLimit : nil
        updateScan(now: now)
        let actions = scheduler.connect(
            id.rawValue,
            to: dial.options.approach == .direct ? .direct(address) : .pending(address),
            parameters: dial.options.parameters,
            now: now
        )
        perform(actions, now: now)
    }

    /// Returns the address to connect to, or nil if the host must search for the peer.
    private func address(for dial: Dial, now: Instant) -> DeviceAddress? {
        guard resolver.knows(dial.identity) else { return dial.target }
        // A controller that resolves the peer would have reported the identity address instead.
        if let heard = recentAddresses.address(of: dial.identity, now: now) { return heard }
        return addresses.resolves(dial.identity) ? dial.identity : nil
    }

    private mutating func look(for id: RequestIdentifier, now: Instant) {
        dials[id]?.phase = .looking
        dials[id]?.address = nil
        dials[id]?.trialEndsAt = nil
        updateScan(now: now)
    }

    /// Checks the address of each connection request again.
    mutating func reviewDials(now: Instant) {
        for id in dials.keys { reviewDial(id, now: now) }
    }

    mutating func reviewDial(_ id: RequestIdentifier, now: Instant) {
        guard let dial = dials[id] else { return }
        let address = address(for: dial, now: now)
        switch dial.phase {
        case .looking where address != nil: schedule(id, now: now)
        case .dialling where dial.address != nil && address != dial.address:
            // An address is used to the end of its trial, unless a better one is known.
            if address != nil || dial.trialEndsAt == nil { turn(id, now: now) }
        default: break
        }
    }

    /// Withdraws a connection request from the scheduler, to schedule it again with another
    /// address.
    private mutating func turn(_ id: RequestIdentifier, now: Instant) {
        dials[id]?.phase = .turning
        dials[id]?.trialEndsAt = nil
        perform(scheduler.cancel(id.rawValue, now: now), now: now)
    }

    /// Withdraws the requests whose private address has had no answer within `trialLimit`.
    mutating func endTrials(now: Instant) {
        for id in dials.keys {
            guard let dial = dials[id], dial.phase == .dialling, let end = dial.trialEndsAt,
                end <= now
            else { continue }
            let lastHeard = recentAddresses.lastHeard(dial.identity)
            if let lastHeard, end - lastHeard < Self.trialLimit {
                // A scan still receives the peer with this address.
                dials[id]?.trialEndsAt = now + Self.trialLimit
            } else {
                recentAddresses.forget(dial.identity)
                turn(id, now: now)
            }
        }
    }

    /// Fails the connection requests that search for their peer, because the scanner or the
    /// controller has failed. Pending connections survive a failure of the controller.
    mutating func failLooks(with error: HostError, includesStanding: Bool, now: Instant) {
        for (id, dial) in dials where dial.phase == .looking {
            guard includesStanding || dial.options.approach == .direct else { continue }
            dialFailed(id, with: error)
        }
        updateScan(now: now)
    }

    /// Updates the scanner, for scans and for connection requests that search.
    mutating func updateScan(now: Instant) {
        let triesAndLooks = scheduler.initiates(whileScanning: .looking)
        let looks = dials.values.contains {
            $0.phase == .looking || triesAndLooks && $0.isTrial
        }
        let wanted = scans.map(\.parameters) + (looks ? [.looking] : [])
        guard wanted.combined != scheduler.wantedScan else { return }
        perform(scheduler.setScan(wanted.combined, now: now), now: now)
    }
}

extension ScanParameters {
    /// Passive, half of the time, and with duplicates.
    fileprivate static let looking: ScanParameters = {
        var parameters = ScanParameters()
        parameters.isActive = false
        parameters.window = parameters.interval / 2
        parameters.filtersDuplicates = false
        return parameters
    }()
}

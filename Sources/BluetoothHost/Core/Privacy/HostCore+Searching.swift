// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothTypes

// The address of a connection request. For a private peer, it is the address with which the host
// has recently received the peer. Without such an address, it is the identity address if the
// controller resolves the peer, and if the peer had no other fixed address when it was paired: a
// peer with another fixed address may use either. Otherwise, the host searches for the peer first.
// While a request uses an address that may be stale, the host searches at the same time if the
// controller can do both. If the peer is received with another address, the request uses that
// address at once.
extension HostCore {
    /// The time for which a private address is used before the host searches for another. It is
    /// longer than three of the longest advertising intervals that Apple recommends to accessories.
    static let trialLimit: Duration = .seconds(5)

    /// Passes the request to the scheduler, or searches for the peer.
    mutating func schedule(_ id: RequestIdentifier, now: Instant) {
        guard let pending = connectionRequests[id] else { return }
        guard let address = address(for: pending, now: now) else {
            return search(for: id, now: now)
        }
        connectionRequests[id]?.phase = .connecting
        connectionRequests[id]?.address = address
        let isCertain = addresses.resolves(pending.identity) && address == pending.identity
        let isTrial = resolver.knows(pending.identity) && !isCertain
        connectionRequests[id]?.trialEndsAt = isTrial ? now + Self.trialLimit : nil
        updateScan(now: now)
        let actions = scheduler.connect(
            id.rawValue,
            to: pending.options.approach == .direct ? .direct(address) : .pending(address),
            parameters: pending.options.parameters,
            now: now
        )
        perform(actions, now: now)
    }

    /// Returns the address to connect to, or `nil` if the host must search for the peer.
    private func address(for pending: PendingConnection, now: Instant) -> DeviceAddress? {
        guard resolver.knows(pending.identity) else { return pending.target }
        // `recentAddresses` has only addresses that the controller did not resolve, so a recent one
        // takes precedence.
        if let received = recentAddresses.address(of: pending.identity, now: now) {
            return received
        }
        // The controller does not resolve another fixed address of the peer.
        guard !resolver.knowsOtherAddress(of: pending.identity) else { return nil }
        return addresses.resolves(pending.identity) ? pending.identity : nil
    }

    private mutating func search(for id: RequestIdentifier, now: Instant) {
        connectionRequests[id]?.phase = .searching
        connectionRequests[id]?.address = nil
        connectionRequests[id]?.trialEndsAt = nil
        updateScan(now: now)
    }

    /// Checks the address of each connection request again.
    mutating func reviewConnectionRequests(now: Instant) {
        for id in connectionRequests.keys { reviewConnectionRequest(id, now: now) }
    }

    mutating func reviewConnectionRequest(_ id: RequestIdentifier, now: Instant) {
        guard let pending = connectionRequests[id] else { return }
        let address = address(for: pending, now: now)
        switch pending.phase {
        case .searching where address != nil: schedule(id, now: now)
        case .connecting where pending.address != nil && address != pending.address:
            // An address is used to the end of its trial, unless a better one is known.
            if address != nil || pending.trialEndsAt == nil { reschedule(id, now: now) }
        default: break
        }
    }

    /// Withdraws a connection request from the scheduler, to schedule it again with another
    /// address.
    private mutating func reschedule(_ id: RequestIdentifier, now: Instant) {
        connectionRequests[id]?.phase = .rescheduling
        connectionRequests[id]?.trialEndsAt = nil
        perform(scheduler.cancel(id.rawValue, now: now), now: now)
    }

    /// Withdraws the requests whose private address has had no answer within `trialLimit`, unless a
    /// scan still receives the peer with that address.
    mutating func endTrials(now: Instant) {
        for id in connectionRequests.keys {
            guard let pending = connectionRequests[id], pending.phase == .connecting,
                let end = pending.trialEndsAt,
                end <= now
            else { continue }
            let lastReceived = recentAddresses.lastReceived(pending.identity)
            if let lastReceived, end - lastReceived < Self.trialLimit {
                connectionRequests[id]?.trialEndsAt = now + Self.trialLimit
            } else {
                recentAddresses.forget(pending.identity)
                reschedule(id, now: now)
            }
        }
    }

    /// Fails the connection requests that search for their peer, because the scanner or the
    /// controller has failed. Pending requests continue after a failure of the controller.
    mutating func failSearches(with error: HostError, includesPending: Bool, now: Instant) {
        for (id, pending) in connectionRequests where pending.phase == .searching {
            guard includesPending || pending.options.approach == .direct else { continue }
            connectionRequestFailed(id, with: error)
        }
        updateScan(now: now)
    }

    /// Updates the scanner, for scans and for connection requests that search.
    mutating func updateScan(now: Instant) {
        let triesAndSearches = scheduler.initiates(whileScanning: .searching)
        let isSearching = connectionRequests.values.contains {
            $0.phase == .searching || triesAndSearches && $0.isTrial
        }
        let wanted = scans.map(\.parameters) + (isSearching ? [.searching] : [])
        guard wanted.combined != scheduler.requestedScan else { return }
        perform(scheduler.setScan(wanted.combined, now: now), now: now)
    }
}

extension ScanParameters {
    /// The parameters of a search: passive, half of the time, and with duplicates.
    fileprivate static let searching: ScanParameters = {
        var parameters = ScanParameters()
        parameters.isActive = false
        parameters.window = parameters.interval / 2
        parameters.filtersDuplicates = false
        return parameters
    }()
}

// SPDX-License-Identifier: Apache-2.0

/// A host's state of the lease of an accessory.
///
/// A host claims an accessory in its range on which there is no valid lease, waits for claims
/// of other hosts, and then holds the lease if its claim has won. It renews a lease that it holds.
/// A lease that was not renewed is free. Only durations count, so that the hosts' clocks need not
/// agree.
struct Lease {
    /// The time in seconds for which a claim is valid.
    static let duration = 30.0
    /// The time in seconds between renewals.
    static let renewalInterval = 10.0
    /// The time in seconds that a host waits for other claims after its own, and for the retained
    /// leases after the connection to the broker.
    static let settlingTime = 2.0

    enum Phase: Equatable {
        case free
        case claimed(until: Double)
        case held(renewal: Double)
    }

    enum Action: Equatable {
        case publish(LeaseClaim)
        /// This host holds the lease from now on.
        case gained
        /// The claim of another host has won.
        case lost
    }

    let host: String
    private(set) var phase = Phase.free
    /// The claim that has won so far, and the time until which it is valid.
    private(set) var best: LeaseClaim?
    private var expiry = 0.0

    init(host: String) { self.host = host }

    var isHeld: Bool {
        if case .held = phase { true } else { false }
    }

    /// Whether this host has made the latest claim, which may have ended.
    var isLatestClaimant: Bool { best?.host == host }

    /// Claims the accessory if the lease is free.
    mutating func claim(now: Double) -> [Action] {
        guard phase == .free, best == nil || now >= expiry || best?.host == host else { return [] }
        let last = best?.epoch ?? 0
        // After the highest epoch, the count begins again: the lease with that epoch has expired.
        let claim = LeaseClaim(epoch: last < LeaseClaim.epochLimit ? last + 1 : 1, host: host)
        (best, expiry) = (claim, now + Self.duration)
        phase = .claimed(until: now + Self.settlingTime)
        return [.publish(claim)]
    }

    /// Receives a claim of this host or of another one.
    mutating func receive(_ claim: LeaseClaim, now: Double) -> [Action] {
        guard let best, now < expiry || phase != .free, claim != best else {
            (self.best, expiry) = (claim, now + Self.duration)
            return []
        }
        guard claim.wins(against: best) else {
            // The retained message must be the claim that has won.
            return best.host == host && phase != .free ? [.publish(best)] : []
        }
        (self.best, expiry) = (claim, now + Self.duration)
        guard phase != .free, claim.host != host else { return [] }
        defer { phase = .free }
        return isHeld ? [.lost] : []
    }

    /// Receives the end of a lease: an empty retained message.
    mutating func receiveRelease() -> [Action] {
        if phase != .free, let best { return [.publish(best)] }
        expiry = 0
        return []
    }

    /// Gives up the lease. Returns whether this host had claimed or held it.
    mutating func release() -> Bool {
        defer { (phase, expiry) = (.free, 0) }
        return phase != .free
    }

    /// Continues after a connection to the broker: a claim begins again, and a lease is renewed.
    mutating func brokerConnected(now: Double) -> [Action] {
        switch phase {
        case .free: return []
        case .claimed: phase = .claimed(until: now + Self.settlingTime)
        case .held: phase = .held(renewal: now + Self.renewalInterval)
        }
        return best.map { [.publish($0)] } ?? []
    }

    /// Returns the actions that are due. Called while the broker is connected.
    mutating func tick(now: Double) -> [Action] {
        switch phase {
        case .claimed(let until) where now >= until:
            phase = .held(renewal: now + Self.renewalInterval)
            return [.gained]
        case .held(let renewal) where now >= renewal:
            phase = .held(renewal: now + Self.renewalInterval)
            return best.map { [.publish($0)] } ?? []
        default: return []
        }
    }
}

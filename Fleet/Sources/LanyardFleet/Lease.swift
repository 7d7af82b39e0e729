// SPDX-License-Identifier: Apache-2.0

/// The lease of an accessory, as one host knows it. A lease is the right of one host to connect to
/// the accessory.
///
/// A host claims an accessory whose advertisements it receives, if the lease is free. It then waits
/// for claims of other hosts, and holds the lease if none of them wins. It repeats its claim to
/// renew the lease, because a lease that is not renewed becomes free. Each host measures these
/// times from the receipt of a message, so the clocks of the hosts need not agree.
struct Lease {
    /// The time in seconds for which a claim is valid.
    static let duration = 30.0
    /// The time in seconds between renewals.
    static let renewalInterval = 10.0
    /// The time in seconds that a host waits for the claims of other hosts: after its own claim,
    /// and after it has connected to the broker, which then sends the retained claims.
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
    /// The latest claim that has won. `expiry` is the time until which it is valid.
    private(set) var best: LeaseClaim?
    private var expiry = 0.0

    init(host: String) { self.host = host }

    var isHeld: Bool {
        if case .held = phase { true } else { false }
    }

    /// Whether the latest claim is that of this host, even if the claim is no longer valid.
    var isLatestClaimant: Bool { best?.host == host }

    /// Claims the accessory if the lease is free.
    mutating func claim(now: Double) -> [Action] {
        guard phase == .free, best == nil || now >= expiry || best?.host == host else { return [] }
        let last = best?.epoch ?? 0
        // After the highest epoch, the count begins again: the lease with that epoch has expired,
        // or was this host's own.
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
            // The losing claim has replaced the retained message, so publish the winning one again.
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

    /// Publishes the claim of this host again, after it has connected to the broker. A claim that
    /// has not won yet waits again for other claims.
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

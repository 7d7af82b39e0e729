// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Wishes for a better protected link: ours, and the peer's. A link with a bonded peer is encrypted by
// the bond first; what is still missing then is paired for.
extension HostCore {
    /// Sees to it that a link is protected as `policy` asks for: encrypts by the bond, if that is good
    /// enough, and pairs otherwise. Who waits for the same shares one pairing.
    ///
    /// - Parameter id: a request, which is completed with `security`; or an operation of the core's
    ///   own, which ends in `secured`.
    mutating func secure(
        _ handle: ConnectionHandle,
        for policy: Pairing.Policy,
        id: UInt64,
        now: Instant
    ) {
        guard let link = links[handle] else { return }
        guard link.protection.waiters.count < LinkProtection.waiterLimit else {
            return tell(id, .failure(HostError.tooManyRequests), on: handle, now: now)
        }
        links[handle]?.protection.waiters.append(.init(id: id, policy: policy))
        secureOn(handle, now: now)
    }

    /// Nobody waits for this any more. A pairing that nobody wants any more ends.
    mutating func stopSecuring(_ id: UInt64, on handle: ConnectionHandle, now: Instant) {
        guard let protection = links[handle]?.protection,
            protection.waiters.contains(where: { $0.id == id })
        else { return }
        links[handle]?.protection.waiters.removeAll { $0.id == id }
        guard protection.waiters.count == 1, protection.isOwnPairing, protection.isPairing,
            links[handle]?.isSealed == false
        else { return }
        manage(handle, now: now) { manager, _ in manager.cancel() }
    }

    /// Does the next thing for those who wait, unless something is under way: its end leads here.
    mutating func secureOn(_ handle: ConnectionHandle, now: Instant) {
        tellSecured(handle, now: now)
        guard let link = links[handle], let waiter = link.protection.waiters.first,
            !link.isDisconnecting, link.protection.loss == nil,
            !link.protection.isPairing, link.procedures[.encryption] == nil
        else { return }
        if link.isSealed, !link.isAgreedAnew {
            guard link.role == .peripheral else { return encryptByBond(handle, now: now) }
            return askForEncryption(handle, now: now)
        }
        links[handle]?.protection.waiters[0].hasTried = true
        pair(handle, waiter.policy, asksConsent: !isCalledFor(on: handle), now: now)
    }

    /// Whether the application itself has called for a pairing: then it has consented. Whatever the
    /// core wants, or is driven to by what the peer refuses, is nobody's consent.
    func isCalledFor(on handle: ConnectionHandle) -> Bool {
        links[handle]?.protection.waiters.contains { $0.id < Self.ownOperationBase } == true
    }

    /// Answers those who have what they wait for, and those who cannot get it.
    private mutating func tellSecured(_ handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle], !link.isSealed,
            link.protection.inForce?.origin != .unfinishedPairing
        else { return }
        for waiter in link.protection.waiters {
            if link.security.meets(waiter.policy, ignoringBond: waiter.hasTried) {
                forgetWaiter(waiter.id, on: handle)
                tell(waiter.id, .success(link.security), on: handle, now: now)
            } else if waiter.hasTried, !link.protection.isPairing {
                forgetWaiter(waiter.id, on: handle)
                let failure = Pairing.Failure.refused(.authenticationRequirements)
                tell(waiter.id, .failure(failure), on: handle, now: now)
            }
        }
    }

    private mutating func forgetWaiter(_ id: UInt64, on handle: ConnectionHandle) {
        links[handle]?.protection.waiters.removeAll { $0.id == id }
    }

    mutating func failWaiters(
        of handle: ConnectionHandle,
        with error: any Error,
        now: Instant
    ) {
        guard let waiters = links[handle]?.protection.waiters else { return }
        links[handle]?.protection.waiters = []
        failWaiters(waiters, of: handle, with: error, now: now)
    }

    /// The same, where the link may be gone already.
    mutating func failWaiters(
        _ waiters: [LinkProtection.Waiter],
        of handle: ConnectionHandle,
        with error: any Error,
        now: Instant
    ) {
        for waiter in waiters { tell(waiter.id, .failure(error), on: handle, now: now) }
    }

    private mutating func tell(
        _ id: UInt64,
        _ result: Result<LinkSecurity, any Error>,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard id < Self.ownOperationBase else {
            return secured(id, result, on: handle, now: now)
        }
        emit(.completed(RequestIdentifier(rawValue: id), result.map(HostAnswer.security)))
    }

    /// Begins a pairing: as Peripheral by a Security Request, for the Central decides.
    ///
    /// - Parameter asksConsent: whether nobody has agreed to it yet.
    mutating func pair(
        _ handle: ConnectionHandle,
        _ policy: Pairing.Policy,
        asksConsent: Bool = false,
        now: Instant
    ) {
        guard let link = links[handle] else { return }
        if let wait = attempts.waitLeft(for: link.identity, now: now) {
            return failWaiters(of: handle, with: Pairing.Failure.tooSoon(wait), now: now)
        }
        links[handle]?.protection.isOwnPairing = true
        manage(handle, now: now) { manager, generator in
            manager.pair(policy, asksConsent: asksConsent, using: &generator, now: now)
        }
    }

    /// Reminds the Central of a bond that it should encrypt with (Vol 3, Part C, 10.3.2).
    mutating func askForEncryption(_ handle: ConnectionHandle, now: Instant) {
        guard let link = links[handle], let bond = link.bond, !link.protection.isPairing,
            !link.isDisconnecting
        else { return }
        links[handle]?.protection.reminderDueAt = nil
        var policy = configuration.pairing
        policy.requiresAuthentication = bond.isAuthenticated
        policy.allowsLegacyPairing = !bond.usesSecureConnections
        pair(handle, policy, asksConsent: !isCalledFor(on: handle), now: now)
    }

    /// The Peripheral asks for a link that is protected so well (Vol 3, Part H, 2.4.6).
    mutating func securityWanted(
        _ isAuthenticated: Bool,
        _ usesSecureConnections: Bool,
        on handle: ConnectionHandle,
        now: Instant
    ) {
        guard let link = links[handle], !link.protection.isPairing,
            link.procedures[.encryption] == nil, link.protection.loss == nil
        else { return }
        if link.isSealed { return encryptByBond(handle, now: now) }
        let has = link.security
        let isEnough = has.isEncrypted && (has.isAuthenticated || !isAuthenticated)
        if isEnough, has.usesSecureConnections || !usesSecureConnections { return }
        // Who asks again after it got what there is will get no more.
        guard let policy = policyForPeers, !link.protection.hasObliged else {
            return refusePairing(.pairingNotSupported, on: handle, now: now)
        }
        links[handle]?.protection.hasObliged = true
        manage(handle, now: now) { manager, generator in
            manager.pair(policy, isWantedByPeer: true, using: &generator, now: now)
        }
    }
}

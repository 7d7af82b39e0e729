// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

// Requests of this host and of the peer for better protection of the link. The host first encrypts
// a link to a bonded peer with the bond. A pairing then provides the protection that is still
// missing.
extension LinkCore {
    /// Protects the link as `policy` requires. Encrypts with the bond if that is sufficient, and
    /// otherwise pairs. Requests that wait at the same time share one pairing.
    ///
    /// - Parameter id: The identifier of a request, which is completed with the security of the
    ///   link, or of an operation of the host, whose result goes to `secured`.
    mutating func secure(for policy: Pairing.Policy, id: UInt64, _ context: inout LinkContext) {
        guard protection.waiters.count < LinkProtection.waiterLimit else {
            return finishSecuring(id, .failure(HostError.tooManyRequests), &context)
        }
        protection.waiters.append(.init(id: id, policy: policy))
        continueSecuring(&context)
    }

    /// Removes a request that was canceled. Cancels a pairing that the host began if no other
    /// request needs it and the link does not await encryption.
    mutating func stopSecuring(_ id: UInt64, _ context: inout LinkContext) {
        guard protection.waiters.contains(where: { $0.id == id }) else { return }
        protection.waiters.removeAll { $0.id == id }
        guard protection.waiters.isEmpty, protection.isOwnPairing, protection.isPairing,
            !awaitsEncryption
        else { return }
        manage(&context) { manager, _, _ in manager.cancel() }
    }

    /// Takes the next step for the requests that wait, unless a step is under way. Each step calls
    /// this method again when it ends.
    mutating func continueSecuring(_ context: inout LinkContext) {
        finishSecured(&context)
        guard let waiter = protection.waiters.first, !isDisconnecting, protection.loss == nil,
            !protection.isPairing, procedures[.encryption] == nil
        else { return }
        if awaitsEncryption, !mayReplaceBond {
            guard role == .peripheral else { return encryptByBond(&context) }
            return askForEncryption(&context)
        }
        protection.waiters[0].hasBegunPairing = true
        pair(waiter.policy, asksConsent: !isPairingRequested, &context)
    }

    /// Whether the application itself has requested a pairing, and so has consented. A pairing that
    /// the host needs because the peer refused a request has no consent yet.
    var isPairingRequested: Bool {
        protection.waiters.contains { $0.id < LinkContext.ownOperationBase }
    }

    /// Completes the requests whose policy is met, and fails those whose pairing did not meet it.
    private mutating func finishSecured(_ context: inout LinkContext) {
        guard !awaitsEncryption, protection.inForce?.origin != .unfinishedPairing else { return }
        let (security, isPairing) = (security, protection.isPairing)
        for waiter in protection.waiters {
            let result: Result<LinkSecurity, any Error>
            if security.meets(waiter.policy, ignoringBond: waiter.hasBegunPairing) {
                result = .success(security)
            } else if waiter.hasBegunPairing, !isPairing {
                result = .failure(Pairing.Failure.refused(.authenticationRequirements))
            } else {
                continue
            }
            protection.waiters.removeAll { $0.id == waiter.id }
            finishSecuring(waiter.id, result, &context)
        }
    }

    mutating func failWaiters(with error: any Error, _ context: inout LinkContext) {
        let waiters = protection.waiters
        protection.waiters = []
        for waiter in waiters {
            finishSecuring(waiter.id, .failure(error), &context)
        }
    }

    private mutating func finishSecuring(
        _ id: UInt64,
        _ result: Result<LinkSecurity, any Error>,
        _ context: inout LinkContext
    ) {
        guard id < LinkContext.ownOperationBase else {
            return secured(id, result, &context)
        }
        context.emit(.completed(RequestIdentifier(rawValue: id), result.map(HostAnswer.security)))
    }

    /// Begins a pairing. A peripheral sends a Security Request, because the central decides.
    ///
    /// - Parameter asksConsent: Whether to ask for consent, because the application has not
    ///   requested the pairing.
    mutating func pair(
        _ policy: Pairing.Policy,
        asksConsent: Bool = false,
        _ context: inout LinkContext
    ) {
        if let wait = context.attempts.waitLeft(for: identity, now: context.now) {
            return failWaiters(with: Pairing.Failure.tooSoon(wait), &context)
        }
        protection.isOwnPairing = true
        manage(&context) { manager, generator, now in
            manager.pair(policy, asksConsent: asksConsent, using: &generator, now: now)
        }
    }

    /// Asks the central to encrypt with the bond (Vol 3, Part C, 10.3.2).
    mutating func askForEncryption(_ context: inout LinkContext) {
        guard let bond, !protection.isPairing, !isDisconnecting else { return }
        protection.reminderDueAt = nil
        var policy = context.configuration.pairing
        policy.requiresAuthentication = bond.isAuthenticated
        policy.allowsLegacyPairing = !bond.usesSecureConnections
        pair(policy, asksConsent: !isPairingRequested, &context)
    }

    /// Handles the peripheral's request for a link with this protection (Vol 3, Part H, 2.4.6).
    mutating func securityWanted(
        _ isAuthenticated: Bool,
        _ usesSecureConnections: Bool,
        _ context: inout LinkContext
    ) {
        guard !protection.isPairing, procedures[.encryption] == nil, protection.loss == nil
        else { return }
        if awaitsEncryption { return encryptByBond(&context) }
        let isEnough =
            security.isEncrypted && (security.isAuthenticated || !isAuthenticated)
            && (security.usesSecureConnections || !usesSecureConnections)
        if isEnough { return }
        // The host pairs at most once on a link for Security Requests of the peer.
        guard let policy = context.policyForPeers, !protection.hasPairedForPeer else {
            return refusePairing(.pairingNotSupported, &context)
        }
        protection.hasPairedForPeer = true
        manage(&context) { manager, generator, now in
            manager.pair(policy, isRequestedByPeer: true, using: &generator, now: now)
        }
    }
}

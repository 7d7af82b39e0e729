// SPDX-License-Identifier: Apache-2.0

/// The phase in which the devices exchange their public keys (Vol 3, Part H, 2.3.5.6.1). The
/// initiator sends first.
struct AwaitingPublicKey: AgreedPhase {
    let pairing: Session
    let pair: SMP.KeyPair

    static func begin(
        _ session: Session,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        // This fails only with a generator that never yields a valid private key.
        guard let pair = session.policy.keyPair(using: &generator) else {
            throw PairingRefusal(.unspecified)
        }
        let phase = AwaitingPublicKey(pairing: session, pair: pair)
        return PairingStep(.awaitingPublicKey(phase), session.isInitiator ? [phase.ownKey] : [])
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .publicKey(let key) = pdu else { throw unexpected(pdu) }
        let exchange = try accept(key)
        let step = try exchange.authenticate(using: &generator)
        return pairing.isInitiator ? step : step.after([ownKey])
    }

    private var ownKey: SecurityManager.Action { .send(.publicKey(pair.publicKey)) }

    /// Checks the peer's public key and computes the shared secret. No computation uses an invalid
    /// key, because an attacker could derive the private key from the result.
    private func accept(_ key: SMP.PublicKey) throws(PairingRefusal) -> SecureExchange {
        let isDebugKey = key.isPublishedDebugKey
        guard !isDebugKey || pairing.policy.usesPublishedDebugKey else {
            throw PairingRefusal(.authenticationRequirements)
        }
        // The peer must not use the local key or its negation, which has the same x coordinate.
        // Such a peer could also send the local commitments back (CVE-2020-26558). Only the debug
        // keys of both devices are legitimately equal.
        guard key.x != pair.publicKey.x || isDebugKey,
            let secret = pair.sharedSecret(with: key)
        else { throw PairingRefusal(.dhKeyCheckFailed) }
        return SecureExchange(
            session: pairing,
            ownKey: pair.publicKey.x,
            peerKey: key.x,
            secret: secret,
            usesDebugKey: isDebugKey || pairing.policy.usesPublishedDebugKey
        )
    }
}

extension Pairing.Policy {
    /// Returns the key pair for one pairing: the debug key pair if the policy uses it, the one in
    /// the local out-of-band data, or a new one.
    fileprivate func keyPair(using generator: inout some RandomNumberGenerator) -> SMP.KeyPair? {
        if usesPublishedDebugKey { return SMP.KeyPair.debug }
        if let localOutOfBandData { return localOutOfBandData.keyPair }
        return SMP.KeyPair(using: &generator)
    }
}

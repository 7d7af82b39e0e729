// SPDX-License-Identifier: Apache-2.0

/// Each side tells the other its public key (Vol 3, Part H, 2.3.5.6.1): the initiator first.
struct AwaitingPublicKey: AgreedPhase {
    let pairing: Session
    let pair: SMP.KeyPair

    static func begin(
        _ session: Session,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        // Only a generator that gives no private key leads to nothing.
        guard let pair = session.policy.keyPair(using: &generator) else {
            throw Refusal(.unspecified)
        }
        let phase = AwaitingPublicKey(pairing: session, pair: pair)
        return Step(.awaitingPublicKey(phase), session.isInitiator ? [phase.ownKey] : [])
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        guard case .publicKey(let key) = pdu else { throw unexpected(pdu) }
        let exchange = try accept(key)
        let step = try exchange.authenticate(using: &generator)
        return pairing.isInitiator ? step : step.after([ownKey])
    }

    private var ownKey: SecurityManager.Action { .send(.publicKey(pair.publicKey)) }

    /// Nothing is computed with a key that somebody may have chosen to get at ours.
    private func accept(_ key: SMP.PublicKey) throws(Refusal) -> SecureExchange {
        let isDebugKey = key.isPublishedDebugKey
        guard !isDebugKey || pairing.policy.usesPublishedDebugKey else {
            throw Refusal(.authenticationRequirements)
        }
        // Our own key comes back, or its mirror image: whoever sends it has our commitments to send
        // as well (CVE-2020-26558). Only both sides' debug keys are the same for a reason.
        guard key.x != pair.publicKey.x || isDebugKey,
            let secret = pair.sharedSecret(with: key)
        else { throw Refusal(.dhKeyCheckFailed) }
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
    /// The key pair for one pairing: the one that the peer has heard of by another way, or a new one.
    fileprivate func keyPair(using generator: inout some RandomNumberGenerator) -> SMP.KeyPair? {
        if usesPublishedDebugKey { return SMP.KeyPair.debug }
        if let localOutOfBandData { return localOutOfBandData.keyPair }
        return SMP.KeyPair(using: &generator)
    }
}

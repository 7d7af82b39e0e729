// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Two sides that share a secret, but may each share it with somebody in the middle: what follows
/// shows whether they do (Vol 3, Part H, 2.3.5.6.2 to 2.3.5.6.4).
struct SecureExchange: Sendable {
    let session: Session
    /// The x-coordinates of the public keys.
    let ownKey: HCI.Coordinate256
    let peerKey: HCI.Coordinate256
    let secret: HCI.SharedSecret256
    /// Whether everybody knows the secret.
    let usesDebugKey: Bool

    /// The first steps of Authentication Stage 1.
    func authenticate(using generator: inout some RandomNumberGenerator) throws(Refusal) -> Step {
        switch session.terms.method {
        case .justWorks, .numericComparison:
            return session.isInitiator
                ? Step(.awaitingCommitment(AwaitingCommitment(exchange: self)))
                : commit(using: &generator)
        case .outOfBand:
            try checkPeerConfirmation()
            return exchangeSides(using: &generator)
        case .passkeyDisplay:
            let passkey = Passkey.draw(using: &generator)
            return PasskeyRounds.begin(self, passkey, using: &generator)
                .after([.ask(.display(passkey))])
        case .passkeyEntry, .passkeyEntryOnBoth:
            return EnteringPasskey.begin(.secureConnections(self))
        }
    }

    /// What we are bound to by the number `nonce`, before it is told.
    func commitment(to nonce: SMP.Value128, _ z: UInt8 = 0) -> SMP.Value128 {
        SMP.Toolbox.f4(ownKey, peerKey, nonce, z)
    }

    /// What the peer must have been bound to if it tells this number.
    func peerCommitment(to nonce: SMP.Value128, _ z: UInt8 = 0) -> SMP.Value128 {
        SMP.Toolbox.f4(peerKey, ownKey, nonce, z)
    }

    /// The responder binds itself to a number, and hears the initiator's before it tells it.
    private func commit(using generator: inout some RandomNumberGenerator) -> Step {
        let nonce = SMP.Value128(using: &generator)
        let phase = AwaitingNonce(exchange: self, own: nonce, commitment: nil)
        return Step(.awaitingNonce(phase), .send(.pairingConfirm(commitment(to: nonce))))
    }

    /// Whether the public key is the one that the peer has confirmed by the other way. Whoever has
    /// heard nothing relies on the peer having checked (Vol 3, Part H, 2.3.5.6.4).
    private func checkPeerConfirmation() throws(Refusal) {
        guard let confirmation = session.policy.peerConfirmation else { return }
        let expected = SMP.Toolbox.f4(peerKey, peerKey, confirmation.random, 0)
        guard expected.matches(confirmation.value) else { throw Refusal(.confirmValueFailed) }
    }

    private func exchangeSides(using generator: inout some RandomNumberGenerator) -> Step {
        let nonce = SMP.Value128(using: &generator)
        let phase = AwaitingNonce(exchange: self, own: nonce, commitment: nil)
        return Step(
            .awaitingNonce(phase),
            session.isInitiator ? [.send(.pairingRandom(nonce))] : []
        )
    }
}

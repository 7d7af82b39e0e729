// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Two devices after the exchange of public keys. At this point, each device could share its secret
/// with a man in the middle. The following steps detect that, unless the method is Just Works (Vol
/// 3, Part H, 2.3.5.6.2 to 2.3.5.6.4).
struct SecureExchange: Sendable {
    let session: Session
    /// The x-coordinates of the public keys.
    let ownKey: HCI.Coordinate256
    let peerKey: HCI.Coordinate256
    let secret: HCI.SharedSecret256
    /// Whether the shared secret is publicly known, because a device used the published debug key.
    let usesDebugKey: Bool

    /// Returns the first step of Authentication Stage 1.
    func authenticate(using generator: inout some RandomNumberGenerator) throws(PairingRefusal)
        -> PairingStep
    {
        switch session.terms.method {
        case .justWorks, .numericComparison:
            return session.isInitiator
                ? PairingStep(.awaitingCommitment(AwaitingCommitment(exchange: self)))
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

    /// Returns the local commitment to the random number `nonce`.
    func commitment(to nonce: SMP.Value128, _ z: UInt8 = 0) -> SMP.Value128 {
        SMP.Toolbox.f4(ownKey, peerKey, nonce, z)
    }

    /// Returns the peer's commitment to a random number.
    func peerCommitment(to nonce: SMP.Value128, _ z: UInt8 = 0) -> SMP.Value128 {
        SMP.Toolbox.f4(peerKey, ownKey, nonce, z)
    }

    /// Returns the step in which the responder commits to a random number. It sends the number
    /// after it has received the initiator's.
    private func commit(using generator: inout some RandomNumberGenerator) -> PairingStep {
        let nonce = SMP.Value128(using: &generator)
        let phase = AwaitingNonce(exchange: self, own: nonce, commitment: nil)
        return PairingStep(.awaitingNonce(phase), .send(.pairingConfirm(commitment(to: nonce))))
    }

    /// Checks that the out-of-band data confirms the peer's public key. A device without such data
    /// relies on the peer's check (Vol 3, Part H, 2.3.5.6.4).
    private func checkPeerConfirmation() throws(PairingRefusal) {
        guard let confirmation = session.policy.peerConfirmation else { return }
        let expected = SMP.Toolbox.f4(peerKey, peerKey, confirmation.random, 0)
        guard expected.matches(confirmation.value) else {
            throw PairingRefusal(.confirmValueFailed)
        }
    }

    private func exchangeSides(using generator: inout some RandomNumberGenerator) -> PairingStep {
        let nonce = SMP.Value128(using: &generator)
        let phase = AwaitingNonce(exchange: self, own: nonce, commitment: nil)
        return PairingStep(
            .awaitingNonce(phase),
            session.isInitiator ? [.send(.pairingRandom(nonce))] : []
        )
    }
}

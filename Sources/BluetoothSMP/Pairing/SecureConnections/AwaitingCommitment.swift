// SPDX-License-Identifier: Apache-2.0

/// The initiator waits until the responder has committed to a random number, and only then sends
/// its own (Vol 3, Part H, 2.3.5.6.2). Neither device can therefore choose its number depending on
/// the other's.
struct AwaitingCommitment: AgreedPhase {
    let exchange: SecureExchange

    var pairing: Session { exchange.session }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        guard case .pairingConfirm(let commitment) = pdu else { throw unexpected(pdu) }
        let nonce = SMP.Value128(using: &generator)
        let phase = AwaitingNonce(exchange: exchange, own: nonce, commitment: commitment)
        return Step(.awaitingNonce(phase), .send(.pairingRandom(nonce)))
    }
}

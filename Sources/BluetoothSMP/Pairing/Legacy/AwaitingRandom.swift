// SPDX-License-Identifier: Apache-2.0

/// The peer has committed to a random number and must disclose it (Vol 3, Part H, 2.3.5.5). An
/// initiator has already disclosed its own. A responder does so only after it has verified the
/// initiator's.
struct AwaitingRandom: AgreedPhase {
    let exchange: LegacyExchange
    let confirm: SMP.Value128

    var pairing: Session { exchange.session }

    var isDisplaying: Bool { exchange.isDisplaying }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        guard case .pairingRandom(let peer) = pdu else { throw unexpected(pdu) }
        guard exchange.confirmValue(of: peer).matches(confirm) else {
            throw Refusal(.confirmValueFailed)
        }
        let key = AgreedKey(value: exchange.shortTermKey(peer))
        let answer: [SecurityManager.Action] =
            pairing.isInitiator ? [] : [.send(.pairingRandom(exchange.random))]
        return AwaitingEncryption.begin(pairing, key)
            .after(answer + (isDisplaying ? [.withdrawQuestion] : []))
    }
}

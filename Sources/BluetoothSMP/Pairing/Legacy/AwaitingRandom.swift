// SPDX-License-Identifier: Apache-2.0

/// The peer is bound to a number, and is to tell it (Vol 3, Part H, 2.3.5.5). We have told ours if we
/// are the initiator; the responder does so only when the initiator's was right.
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

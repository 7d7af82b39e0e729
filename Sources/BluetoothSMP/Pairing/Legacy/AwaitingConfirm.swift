// SPDX-License-Identifier: Apache-2.0

/// The phase in which the peer must commit to its random number before it receives the local one
/// (Vol 3, Part H, 2.3.5.5).
struct AwaitingConfirm: AgreedPhase {
    let exchange: LegacyExchange

    var pairing: Session { exchange.session }

    var isDisplaying: Bool { exchange.isDisplaying }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        switch pdu {
        case .pairingConfirm(let value): return try accept(value)
        case .keypress(let keypress) where pairing.expectsKeypresses:
            return PairingStep(.awaitingConfirm(self), .pressed(keypress))
        default: throw unexpected(pdu)
        }
    }

    /// Processes the peer's confirm value. A confirm value does not identify its sender: a peer
    /// without the temporary key could return the local confirm value, and later the local random
    /// number. The initiator therefore refuses its own confirm value.
    private func accept(_ value: SMP.Value128) throws(PairingRefusal) -> PairingStep {
        guard !pairing.isInitiator || !value.matches(exchange.confirmValue(of: exchange.random))
        else { throw PairingRefusal(.confirmValueFailed) }
        return PairingStep(
            .awaitingRandom(AwaitingRandom(exchange: exchange, confirm: value)),
            pairing.isInitiator ? .send(.pairingRandom(exchange.random)) : exchange.ownConfirm
        )
    }
}

/// The phase in which the peer has committed to a random number and must disclose it (Vol 3, Part
/// H, 2.3.5.5). An initiator has already disclosed its own. A responder does so only after it has
/// verified the initiator's.
struct AwaitingRandom: AgreedPhase {
    let exchange: LegacyExchange
    let confirm: SMP.Value128

    var pairing: Session { exchange.session }

    var isDisplaying: Bool { exchange.isDisplaying }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .pairingRandom(let peer) = pdu else { throw unexpected(pdu) }
        guard exchange.confirmValue(of: peer).matches(confirm) else {
            throw PairingRefusal(.confirmValueFailed)
        }
        let key = AgreedKey(value: exchange.shortTermKey(peer))
        let answer: [SecurityManager.Action] =
            pairing.isInitiator ? [] : [.send(.pairingRandom(exchange.random))]
        return AwaitingEncryption.begin(pairing, key)
            .after(answer + (isDisplaying ? [.withdrawQuestion] : []))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The peer is to be bound to its number. Only then is it told ours (Vol 3, Part H, 2.3.5.5).
struct AwaitingConfirm: AgreedPhase {
    let exchange: LegacyExchange

    var pairing: Session { exchange.session }

    var isDisplaying: Bool { exchange.isDisplaying }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        switch pdu {
        case .pairingConfirm(let value): return try accept(value)
        case .keypress(let keypress) where pairing.expectsKeypresses:
            return Step(.awaitingConfirm(self), .pressed(keypress))
        default: throw unexpected(pdu)
        }
    }

    /// Confirm values do not say whose they are: whoever sends ours back will send our number, too.
    private func accept(_ value: SMP.Value128) throws(Refusal) -> Step {
        guard !pairing.isInitiator || !value.matches(exchange.confirmValue(of: exchange.random))
        else { throw Refusal(.confirmValueFailed) }
        return Step(
            .awaitingRandom(AwaitingRandom(exchange: exchange, confirm: value)),
            pairing.isInitiator ? .send(.pairingRandom(exchange.random)) : exchange.ownConfirm
        )
    }
}

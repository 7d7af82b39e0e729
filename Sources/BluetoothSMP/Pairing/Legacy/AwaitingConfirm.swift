// SPDX-License-Identifier: Apache-2.0

/// The peer must commit to its random number before it learns the local one (Vol 3, Part H,
/// 2.3.5.5).
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

    /// Processes the peer's confirm value. A confirm value does not identify its sender. A peer
    /// that returns the local confirm value could later return the local random number too, so it
    /// is refused.
    private func accept(_ value: SMP.Value128) throws(Refusal) -> Step {
        guard !pairing.isInitiator || !value.matches(exchange.confirmValue(of: exchange.random))
        else { throw Refusal(.confirmValueFailed) }
        return Step(
            .awaitingRandom(AwaitingRandom(exchange: exchange, confirm: value)),
            pairing.isInitiator ? .send(.pairingRandom(exchange.random)) : exchange.ownConfirm
        )
    }
}

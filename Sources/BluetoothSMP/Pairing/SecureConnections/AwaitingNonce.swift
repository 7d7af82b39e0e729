// SPDX-License-Identifier: Apache-2.0

/// The peer is to tell its random number (Vol 3, Part H, 2.3.5.6.2 and 2.3.5.6.4).
struct AwaitingNonce: AgreedPhase {
    let exchange: SecureExchange
    /// Our number. The initiator has told it, the responder tells it in answer.
    let own: SMP.Value128
    /// What the peer is bound to; nil if it is not.
    let commitment: SMP.Value128?

    var pairing: Session { exchange.session }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        guard case .pairingRandom(let peer) = pdu else { throw unexpected(pdu) }
        if let commitment {
            guard exchange.peerCommitment(to: peer).matches(commitment) else {
                throw Refusal(.confirmValueFailed)
            }
        }
        let step = exchange.goOn(with: Sides(own: own, peer: peer))
        return exchange.session.isInitiator ? step : step.after([.send(.pairingRandom(own))])
    }
}

/// A number of either side.
struct Sides: Sendable {
    let own: SMP.Value128
    let peer: SMP.Value128

    static let zeros = Sides(own: SMP.Value128(), peer: SMP.Value128())
}

extension SecureExchange {
    /// Both numbers are known: two people compare them, or nobody does.
    fileprivate func goOn(with nonces: Sides) -> Step {
        switch session.terms.method {
        case .numericComparison:
            let check = AwaitingCheck(self, nonces)
            let phase = ComparingNumbers(check: check, isPeerChecked: false)
            return Step(.comparingNumbers(phase), .ask(.confirm(number(nonces))))
        case .outOfBand:
            return AwaitingCheck(self, nonces, handedOver).begin()
        default: return AwaitingCheck(self, nonces).begin()
        }
    }

    /// The random numbers that have gone another way, as far as they have arrived.
    private var handedOver: Sides {
        let hasPeerHeard = session.peerFeatures.hasOutOfBandData == true
        let own = hasPeerHeard ? session.policy.localRandom : nil
        let peer = session.policy.peerConfirmation?.random
        return Sides(own: own ?? Sides.zeros.own, peer: peer ?? Sides.zeros.peer)
    }

    /// The six digits that both sides show.
    private func number(_ nonces: Sides) -> UInt32 {
        let number =
            session.isInitiator
            ? SMP.Toolbox.g2(ownKey, peerKey, nonces.own, nonces.peer)
            : SMP.Toolbox.g2(peerKey, ownKey, nonces.peer, nonces.own)
        return SMP.Toolbox.digits(of: number)
    }
}

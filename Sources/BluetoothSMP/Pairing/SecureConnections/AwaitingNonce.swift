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
        let step = exchange.goOn(with: Nonces(own: own, peer: peer))
        return exchange.session.isInitiator ? step : step.after([.send(.pairingRandom(own))])
    }
}

/// The random number of either side.
struct Nonces: Sendable {
    let own: SMP.Value128
    let peer: SMP.Value128
}

extension SecureExchange {
    /// Both numbers are known: two people compare them, or nobody does.
    fileprivate func goOn(with nonces: Nonces) -> Step {
        switch session.terms.method {
        case .numericComparison:
            let check = AwaitingCheck(self, nonces)
            let phase = ComparingNumbers(check: check, isPeerChecked: false)
            return Step(.comparingNumbers(phase), .ask(.confirm(number(nonces))))
        case .outOfBand:
            let zero = SMP.Value128()
            let policy = session.policy
            let local = session.peerFeatures.hasOutOfBandData == true ? policy.localRandom : nil
            let secrets = Nonces(own: local ?? zero, peer: policy.peerConfirmation?.random ?? zero)
            return AwaitingCheck(self, nonces, secrets).begin()
        default: return AwaitingCheck(self, nonces).begin()
        }
    }

    /// The six digits that both sides show.
    private func number(_ nonces: Nonces) -> UInt32 {
        let number =
            session.isInitiator
            ? SMP.Toolbox.g2(ownKey, peerKey, nonces.own, nonces.peer)
            : SMP.Toolbox.g2(peerKey, ownKey, nonces.peer, nonces.own)
        return SMP.Toolbox.digits(of: number)
    }
}

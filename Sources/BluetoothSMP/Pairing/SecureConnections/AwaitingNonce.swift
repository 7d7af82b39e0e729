// SPDX-License-Identifier: Apache-2.0

/// The phase in which the peer must send its random number (Vol 3, Part H, 2.3.5.6.2 and
/// 2.3.5.6.4).
struct AwaitingNonce: AgreedPhase {
    let exchange: SecureExchange
    /// The local random number. The initiator has sent it already, and the responder sends it in
    /// response.
    let own: SMP.Value128
    /// The peer's commitment to its random number, or `nil` if the peer sends none: it is the
    /// initiator, or the method is out of band.
    let commitment: SMP.Value128?

    var pairing: Session { exchange.session }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .pairingRandom(let peer) = pdu else { throw unexpected(pdu) }
        if let commitment {
            guard exchange.peerCommitment(to: peer).matches(commitment) else {
                throw PairingRefusal(.confirmValueFailed)
            }
        }
        let step = exchange.proceed(with: Sides(own: own, peer: peer))
        return exchange.session.isInitiator ? step : step.after([.send(.pairingRandom(own))])
    }
}

/// A value of each device.
struct Sides: Sendable {
    let own: SMP.Value128
    let peer: SMP.Value128

    static let zeros = Sides(own: SMP.Value128(), peer: SMP.Value128())
}

extension SecureExchange {
    /// Returns the step after both random numbers are known: a comparison by the users, or the
    /// checks.
    fileprivate func proceed(with nonces: Sides) -> PairingStep {
        switch session.terms.method {
        case .numericComparison:
            return ComparingNumbers.begin(AwaitingCheck(self, nonces), .confirm(number(nonces)))
        case .justWorks where session.policy.consent == .always:
            return ComparingNumbers.begin(AwaitingCheck(self, nonces), .consent)
        case .outOfBand:
            return AwaitingCheck(self, nonces, handedOver).begin()
        default: return AwaitingCheck(self, nonces).begin()
        }
    }

    /// The random number in each device's out-of-band data, or zero if the other device has not
    /// received that data.
    private var handedOver: Sides {
        let hasPeerReceived = session.peerFeatures.hasOutOfBandData == true
        let own = hasPeerReceived ? session.policy.localRandom : nil
        let peer = session.policy.peerConfirmation?.random
        return Sides(own: own ?? Sides.zeros.own, peer: peer ?? Sides.zeros.peer)
    }

    /// Returns the six digits that both devices show.
    private func number(_ nonces: Sides) -> UInt32 {
        let number =
            session.isInitiator
            ? SMP.Toolbox.g2(ownKey, peerKey, nonces.own, nonces.peer)
            : SMP.Toolbox.g2(peerKey, ownKey, nonces.peer, nonces.own)
        return SMP.Toolbox.digits(of: number)
    }
}

/// The phase in which the initiator waits until the responder has committed to a random number, and
/// only then sends its own (Vol 3, Part H, 2.3.5.6.2). Neither device can therefore choose its
/// number depending on the other's.
struct AwaitingCommitment: AgreedPhase {
    let exchange: SecureExchange

    var pairing: Session { exchange.session }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .pairingConfirm(let commitment) = pdu else { throw unexpected(pdu) }
        let nonce = SMP.Value128(using: &generator)
        let phase = AwaitingNonce(exchange: exchange, own: nonce, commitment: commitment)
        return PairingStep(.awaitingNonce(phase), .send(.pairingRandom(nonce)))
    }
}

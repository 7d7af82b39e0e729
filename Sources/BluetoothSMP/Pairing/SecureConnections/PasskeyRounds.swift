// SPDX-License-Identifier: Apache-2.0

/// The twenty rounds of Passkey Entry. In each round, both devices prove that they know one bit of
/// the passkey, and disclose only that bit (Vol 3, Part H, 2.3.5.6.3).
struct PasskeyRounds: AgreedPhase {
    /// The number of rounds, one for each bit of a six-digit number.
    static let count = 20

    let exchange: SecureExchange
    let passkey: UInt32
    /// The index of the bit in this round, starting with the least significant.
    private let round: Int
    /// The local random number in this round.
    private let own: SMP.Value128
    /// The peer's commitment in this round, or `nil` until it arrives.
    private var commitment: SMP.Value128?

    /// Starts the first round. The initiator sends first.
    static func begin(
        _ exchange: SecureExchange,
        _ passkey: UInt32,
        using generator: inout some RandomNumberGenerator
    ) -> PairingStep {
        PasskeyRounds(exchange, passkey, round: 0, using: &generator).begin()
    }

    private init(
        _ exchange: SecureExchange,
        _ passkey: UInt32,
        round: Int,
        using generator: inout some RandomNumberGenerator
    ) {
        self.exchange = exchange
        self.passkey = passkey
        self.round = round
        own = SMP.Value128(using: &generator)
    }

    var pairing: Session { exchange.session }

    var isDisplaying: Bool { pairing.terms.method == .passkeyDisplay }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        switch (pdu, commitment) {
        case (.pairingConfirm(let value), nil): return answerCommitment(value)
        case (.pairingRandom(let peer), let commitment?):
            guard exchange.peerCommitment(to: peer, bit).matches(commitment) else {
                throw PairingRefusal(.confirmValueFailed)
            }
            return finishRound(peer, using: &generator)
        case (.keypress(let keypress), nil) where round == 0 && pairing.expectsKeypresses:
            return PairingStep(.passkeyRounds(self), .pressed(keypress))
        default: throw unexpected(pdu)
        }
    }

    /// The argument z of `f4` in this round: 0x80 and one bit of the passkey.
    private var bit: UInt8 { 0x80 | UInt8(passkey >> UInt32(round) & 1) }

    private var ownCommitment: SecurityManager.Action {
        .send(.pairingConfirm(exchange.commitment(to: own, bit)))
    }

    private func begin() -> PairingStep {
        PairingStep(.passkeyRounds(self), pairing.isInitiator ? [ownCommitment] : [])
    }

    /// Returns the step after the peer's commitment. The initiator sends its commitment and its
    /// random number first.
    private func answerCommitment(_ value: SMP.Value128) -> PairingStep {
        var phase = self
        phase.commitment = value
        return PairingStep(
            .passkeyRounds(phase),
            pairing.isInitiator ? .send(.pairingRandom(own)) : ownCommitment
        )
    }

    private func finishRound(
        _ peer: SMP.Value128,
        using generator: inout some RandomNumberGenerator
    ) -> PairingStep {
        let answer: [SecurityManager.Action] =
            pairing.isInitiator ? [] : [.send(.pairingRandom(own))]
        guard round + 1 == Self.count else {
            let next = PasskeyRounds(exchange, passkey, round: round + 1, using: &generator)
            return next.begin().after(answer)
        }
        let secret = SMP.Value128(passkey: passkey)
        let nonces = Sides(own: own, peer: peer)
        let check = AwaitingCheck(exchange, nonces, Sides(own: secret, peer: secret))
        return check.begin().after(answer + (isDisplaying ? [.withdrawQuestion] : []))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The phase in which the user compares six digits with those that the peer shows (Vol 3, Part H,
/// 2.3.5.6.2). The peer's user may finish first. With Just Works, no digits exist, and the user
/// only consents (`Pairing.Consent.always`).
struct ComparingNumbers: AgreedPhase {
    let check: AwaitingCheck
    /// Whether the initiator has already sent its check and the check is verified (responder only).
    let isPeerChecked: Bool

    static func begin(_ check: AwaitingCheck, _ question: Pairing.Question) -> PairingStep {
        let phase = ComparingNumbers(check: check, isPeerChecked: false)
        return PairingStep(.comparingNumbers(phase), .ask(question))
    }

    var pairing: Session { check.pairing }

    var isAsking: Bool { true }

    var cancellationReason: Pairing.FailureReason {
        pairing.terms.method == .justWorks ? .pairingNotSupported : .numericComparisonFailed
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .dhKeyCheck(let value) = pdu, !pairing.isInitiator, !isPeerChecked else {
            throw unexpected(pdu)
        }
        try check.verify(value)
        return PairingStep(.comparingNumbers(ComparingNumbers(check: check, isPeerChecked: true)))
    }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? {
        switch answer {
        case .yes: return isPeerChecked ? check.complete() : check.begin()
        case .no: throw .declined(cancellationReason)
        case .passkey, .keypress: return nil
        }
    }
}

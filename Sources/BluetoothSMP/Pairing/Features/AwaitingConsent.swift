// SPDX-License-Identifier: Apache-2.0

/// The peer wants to pair, and nothing would show whether anybody here does: a person is asked. The
/// Peripheral has not sent its response yet.
struct AwaitingConsent: PairingPhase {
    let agreed: Session

    var isCentral: Bool { agreed.context.isCentral }

    var session: Session? { agreed }

    var isAsking: Bool { true }

    var reasonOfCancelling: Pairing.FailureReason { .pairingNotSupported }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step { throw unexpected(pdu) }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step? {
        switch answer {
        case .yes: return try agreed.beginPhase2(using: &generator)
        case .no: throw .declined(.pairingNotSupported)
        case .passkey, .keypress: return nil
        }
    }
}

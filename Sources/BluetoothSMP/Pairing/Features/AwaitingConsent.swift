// SPDX-License-Identifier: Apache-2.0

/// The peer started the pairing, and no later step would show that the local user agrees, so the
/// user is asked. The Peripheral has not sent its response yet.
struct AwaitingConsent: AgreedPhase {
    let pairing: Session

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
        case .yes: return try pairing.beginPhase2(using: &generator)
        case .no: throw .declined(.pairingNotSupported)
        case .passkey, .keypress: return nil
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// What one state of a pairing does with what happens. Where nothing is said, a PDU is out of order,
/// and an answer was not asked for.
protocol PairingPhase: Sendable {
    /// Which end of the link is ours.
    var isCentral: Bool { get }

    /// What the sides have agreed on; nil as long as they have not.
    var session: Session? { get }

    /// Whether a person is asked something, and has not answered.
    var isAsking: Bool { get }

    /// Whether a person is shown something.
    var isDisplaying: Bool { get }

    /// What the peer is told if the pairing is given up here.
    var reasonOfCancelling: Pairing.FailureReason { get }

    /// A PDU other than Pairing Failed has arrived.
    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step

    /// A person has answered; nil if it was no answer to what was asked.
    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step?

    /// Encryption is on, or is not; nil if that changes nothing.
    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step?
}

extension PairingPhase {
    var isAsking: Bool { false }

    var isDisplaying: Bool { false }

    var reasonOfCancelling: Pairing.FailureReason { .unspecified }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step? {
        // Nobody waits for an answer to a passkey that is shown, but it may be a no.
        guard isDisplaying, answer == .no else { return nil }
        throw .declined(.passkeyEntryFailed)
    }

    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step? { nil }

    /// What to throw for a PDU that is not awaited.
    func unexpected(_ pdu: SMP.PDU) -> Refusal { .unexpected(pdu, isCentral: isCentral) }
}

/// A phase of a pairing whose terms are clear.
protocol AgreedPhase: PairingPhase {
    var pairing: Session { get }
}

extension AgreedPhase {
    var isCentral: Bool { pairing.context.isCentral }

    var session: Session? { pairing }

    var reasonOfCancelling: Pairing.FailureReason {
        pairing.terms.method.hasPasskey ? .passkeyEntryFailed : .unspecified
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The processing of events in one state of a pairing. By default, a change of encryption has no
/// effect. An answer has an effect only if the user declines while a passkey is shown.
protocol PairingPhase: Sendable {
    /// Whether the local device is the central.
    var isCentral: Bool { get }

    /// The terms and features of the pairing, or `nil` before both devices have exchanged them.
    var session: Session? { get }

    /// Whether a question to the user is open.
    var isAsking: Bool { get }

    /// Whether the user is shown a passkey, which needs no answer.
    var isDisplaying: Bool { get }

    /// The reason that the peer receives if the pairing is canceled in this state.
    var cancellationReason: Pairing.FailureReason { get }

    /// Processes a PDU. `SecurityManager` itself processes Pairing Failed, unknown PDUs, and, on a
    /// central, Security Requests.
    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep

    /// Processes the user's answer, or returns `nil` if it does not match an open question.
    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep?

    /// Processes a change of encryption, or returns `nil` if the change has no effect.
    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep?
}

extension PairingPhase {
    var isAsking: Bool { false }

    var isDisplaying: Bool { false }

    var cancellationReason: Pairing.FailureReason { .unspecified }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? {
        // A displayed passkey needs no answer, but the user can refuse the pairing.
        guard isDisplaying, answer == .no else { return nil }
        throw .declined(.passkeyEntryFailed)
    }

    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? { nil }

    /// Returns the error for a PDU that is not allowed in this state.
    func unexpected(_ pdu: SMP.PDU) -> PairingRefusal { .unexpected(pdu, isCentral: isCentral) }
}

/// A state of a pairing whose terms are known.
protocol AgreedPhase: PairingPhase {
    var pairing: Session { get }
}

extension AgreedPhase {
    var isCentral: Bool { pairing.context.isCentral }

    var session: Session? { pairing }

    var cancellationReason: Pairing.FailureReason {
        pairing.terms.method.hasPasskey ? .passkeyEntryFailed : .unspecified
    }
}

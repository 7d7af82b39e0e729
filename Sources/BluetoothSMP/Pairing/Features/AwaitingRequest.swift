// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The phase after the peripheral has sent a Security Request. The central may pair, encrypt with
/// an existing key, refuse, or do nothing (Vol 3, Part H, 2.4.6).
struct AwaitingRequest: PairingPhase {
    let context: SecurityManager.Context
    let policy: Pairing.Policy
    let bond: LinkSecurity?
    /// Whether to ask the user for consent if the central starts a pairing. It is `false` only if
    /// the application has requested the pairing. It is `true` if the host has sent the Security
    /// Request on its own, for example to use an existing key.
    let asksConsent: Bool

    static func begin(
        _ context: SecurityManager.Context,
        _ policy: Pairing.Policy,
        _ bond: LinkSecurity?,
        _ asksConsent: Bool
    ) -> PairingStep {
        let phase = AwaitingRequest(
            context: context,
            policy: policy,
            bond: bond,
            asksConsent: asksConsent
        )
        return PairingStep(.awaitingRequest(phase), .send(.securityRequest(policy.requirements)))
    }

    var isCentral: Bool { context.isCentral }

    var session: Session? { nil }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .pairingRequest(let request) = pdu else { throw unexpected(pdu) }
        return try accept(request, using: &generator)
    }

    /// Processes a Pairing Request.
    func accept(
        _ request: SMP.PairingFeatures,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        let session = try Session(
            context,
            policy,
            replacing: bond,
            request: request,
            response: policy.response(to: request)
        )
        return try session.begin(asksConsent: asksConsent, using: &generator)
    }

    /// Ends the phase if the link is encrypted, because the central had a key and needs no pairing.
    /// If encryption fails, the central may still pair.
    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? { isEncrypted ? PairingStep(nil) : nil }
}

/// The phase in which the user is asked for consent to a pairing with Just Works. The other methods
/// do not need this phase, because the user takes part in another step. A peripheral has not sent
/// its Pairing Response yet.
struct AwaitingConsent: AgreedPhase {
    let pairing: Session

    var isAsking: Bool { true }

    var cancellationReason: Pairing.FailureReason { .pairingNotSupported }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep { throw unexpected(pdu) }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? {
        switch answer {
        case .yes: return try pairing.beginPhase2(using: &generator)
        case .no: throw .declined(.pairingNotSupported)
        case .passkey, .keypress: return nil
        }
    }
}

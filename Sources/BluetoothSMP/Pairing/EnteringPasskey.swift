// SPDX-License-Identifier: Apache-2.0

/// The phase in which the user must enter the passkey that the peer shows, or that the users of
/// both devices have agreed on (Vol 3, Part H, 2.3.5.3 and 2.3.5.6.3). If the peer is the initiator
/// and already has the passkey, its first confirm value can arrive in this phase.
struct EnteringPasskey: AgreedPhase {
    /// The exchange for which the passkey is needed.
    enum Purpose: Sendable {
        case secureConnections(SecureExchange)
        case legacy(Session)
    }

    let purpose: Purpose
    /// The confirm value that arrived before the passkey was entered (responder only).
    private(set) var confirm: SMP.Value128?

    /// Asks the user for a passkey.
    static func begin(_ purpose: Purpose) -> PairingStep {
        let phase = EnteringPasskey(purpose: purpose)
        return PairingStep(
            .enteringPasskey(phase),
            [.ask(.enterPasskey)] + phase.reportKeypress(.entryStarted)
        )
    }

    var pairing: Session {
        switch purpose {
        case .secureConnections(let exchange): exchange.session
        case .legacy(let session): session
        }
    }

    var isAsking: Bool { true }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        switch pdu {
        case .pairingConfirm(let value) where !pairing.isInitiator && confirm == nil:
            var phase = self
            phase.confirm = value
            return PairingStep(.enteringPasskey(phase))
        case .keypress(let keypress) where pairing.expectsKeypresses:
            return PairingStep(.enteringPasskey(self), .pressed(keypress))
        default: throw unexpected(pdu)
        }
    }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? {
        switch answer {
        case .passkey(let passkey) where Passkey.range.contains(passkey):
            return try proceed(passkey, using: &generator).after(reportKeypress(.entryCompleted))
        case .passkey, .no: throw .declined(.passkeyEntryFailed)
        // The state machine itself reports the start and the end of the entry.
        case .keypress(.entryStarted), .keypress(.entryCompleted), .yes: return nil
        case .keypress(let keypress):
            return PairingStep(.enteringPasskey(self), reportKeypress(keypress))
        }
    }

    private func reportKeypress(_ keypress: Pairing.Keypress) -> [SecurityManager.Action] {
        pairing.terms.usesKeypresses ? [.send(.keypress(keypress))] : []
    }

    /// Continues with the passkey, and processes the confirm value that arrived before it.
    private func proceed(
        _ passkey: UInt32,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        let step =
            switch purpose {
            case .secureConnections(let exchange):
                PasskeyRounds.begin(exchange, passkey, using: &generator)
            case .legacy(let session):
                LegacyExchange(session, .init(passkey: passkey), using: &generator).confirm()
            }
        guard let confirm, let state = step.state else { return step }
        return try state.phase.receive(.pairingConfirm(confirm), using: &generator).after(
            step.actions
        )
    }
}

/// The six digits of Passkey Entry (Vol 3, Part H, 2.3.5.3).
enum Passkey {
    static let range: ClosedRange<UInt32> = 0...999_999

    /// Returns a random passkey. Each pairing needs a new one, because the protocol discloses the
    /// passkey to an eavesdropper and to the peer (Vol 3, Part H, 2.3.5.6.3).
    static func draw(using generator: inout some RandomNumberGenerator) -> UInt32 {
        UInt32.random(in: range, using: &generator)
    }
}

extension Session {
    /// Whether the user enters digits at the peer, and the peer sends keypress notifications.
    var expectsKeypresses: Bool { terms.usesKeypresses && terms.method.isEnteredAtPeer }
}

// SPDX-License-Identifier: Apache-2.0

/// A person is to enter what the peer shows, or what was agreed on (Vol 3, Part H, 2.3.5.3 and
/// 2.3.5.6.3). The initiator may know it earlier, and send its first confirm value meanwhile.
struct EnteringPasskey: AgreedPhase {
    /// What the passkey is for.
    enum Purpose: Sendable {
        case secureConnections(SecureExchange)
        case legacy(Session)
    }

    let purpose: Purpose
    /// The confirm value that has come before the passkey was known (responder only).
    private(set) var confirm: SMP.Value128?

    /// Asks for a passkey.
    static func begin(_ purpose: Purpose) -> Step {
        let phase = EnteringPasskey(purpose: purpose)
        return Step(.enteringPasskey(phase), [.ask(.enterPasskey)] + phase.tell(.entryStarted))
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
    ) throws(Refusal) -> Step {
        switch pdu {
        case .pairingConfirm(let value) where !pairing.isInitiator && confirm == nil:
            var phase = self
            phase.confirm = value
            return Step(.enteringPasskey(phase))
        case .keypress(let keypress) where pairing.expectsKeypresses:
            return Step(.enteringPasskey(self), .pressed(keypress))
        default: throw unexpected(pdu)
        }
    }

    func answer(
        _ answer: Pairing.Answer,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step? {
        switch answer {
        case .passkey(let passkey) where Passkey.range.contains(passkey):
            return try goOn(passkey, using: &generator).after(tell(.entryCompleted))
        case .passkey, .no: throw .declined(.passkeyEntryFailed)
        // Beginning and end of the entry are ours to tell.
        case .keypress(.entryStarted), .keypress(.entryCompleted), .yes: return nil
        case .keypress(let keypress): return Step(.enteringPasskey(self), tell(keypress))
        }
    }

    private func tell(_ keypress: Pairing.Keypress) -> [SecurityManager.Action] {
        pairing.terms.usesKeypresses ? [.send(.keypress(keypress))] : []
    }

    /// Begins with the passkey, and takes up the confirm value that has waited for it.
    private func goOn(
        _ passkey: UInt32,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
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

    /// A passkey that nobody can foresee. Each pairing has its own: one that is used twice is known
    /// to whoever has watched, or taken part in, the first (Vol 3, Part H, 2.3.5.6.3).
    static func draw(using generator: inout some RandomNumberGenerator) -> UInt32 {
        UInt32.random(in: range, using: &generator)
    }
}

extension Session {
    /// Whether somebody enters digits at the peer, and the peer tells of them.
    var expectsKeypresses: Bool { terms.usesKeypresses && terms.method.isEnteredAtPeer }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Two sides that know the same temporary key, or nothing at all (Vol 3, Part H, 2.3.5.5). Whoever
/// listens to them finds it out by trying, unless it came another way.
struct LegacyExchange: Sendable {
    let session: Session
    let temporaryKey: HCI.Key128
    /// Our number.
    let random: SMP.Value128

    init(
        _ session: Session,
        _ temporaryKey: HCI.Key128,
        using generator: inout some RandomNumberGenerator
    ) {
        self.session = session
        self.temporaryKey = temporaryKey
        random = SMP.Value128(using: &generator)
    }

    /// Comes by the temporary key as the method says.
    static func begin(
        _ session: Session,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        switch session.terms.method {
        case .justWorks:
            return LegacyExchange(session, .init(SMP.Value128()), using: &generator).confirm()
        case .outOfBand:
            let key = session.policy.temporaryKey(isInitiator: session.isInitiator)
            guard let key else { throw Refusal(.outOfBandDataNotAvailable) }
            return LegacyExchange(session, key, using: &generator).confirm()
        case .passkeyDisplay:
            let passkey = Passkey.draw(using: &generator)
            return LegacyExchange(session, .init(passkey: passkey), using: &generator).confirm()
                .after([.ask(.display(passkey))])
        case .passkeyEntry, .passkeyEntryOnBoth: return EnteringPasskey.begin(.legacy(session))
        // Legacy pairing has no such method, and no table leads to it.
        case .numericComparison: throw Refusal(.unspecified)
        }
    }

    /// The initiator is bound to its number first.
    func confirm() -> Step {
        Step(
            .awaitingConfirm(AwaitingConfirm(exchange: self)),
            session.isInitiator ? [ownConfirm] : []
        )
    }

    var ownConfirm: SecurityManager.Action { .send(.pairingConfirm(confirmValue(of: random))) }

    /// What whoever is bound to this number has sent.
    func confirmValue(of random: SMP.Value128) -> SMP.Value128 {
        SMP.Toolbox.c1(
            temporaryKey,
            random,
            request: session.request,
            response: session.response,
            initiator: session.initiator,
            responder: session.responder
        )
    }

    /// The key for encryption, until a better one is handed over (Vol 3, Part H, 2.3.5.5).
    func shortTermKey(_ peer: SMP.Value128) -> HCI.Key128 {
        let key =
            session.isInitiator
            ? SMP.Toolbox.s1(temporaryKey, responder: peer, initiator: random)
            : SMP.Toolbox.s1(temporaryKey, responder: random, initiator: peer)
        return key.shortened(to: session.terms.keySize)
    }

    var isDisplaying: Bool { session.terms.method == .passkeyDisplay }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Legacy pairing with a temporary key, which is zero for Just Works (Vol 3, Part H, 2.3.5.5). An
/// eavesdropper can find the temporary key by trying all values, unless it is out-of-band data.
struct LegacyExchange: Sendable {
    let session: Session
    let temporaryKey: HCI.Key128
    /// The local random number.
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

    /// Determines the temporary key by the method, and returns the first step.
    static func begin(
        _ session: Session,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        switch session.terms.method {
        case .justWorks:
            return LegacyExchange(session, .init(SMP.Value128()), using: &generator).confirm()
        case .outOfBand:
            let key = session.policy.temporaryKey(isInitiator: session.isInitiator)
            guard let key else { throw PairingRefusal(.outOfBandDataNotAvailable) }
            return LegacyExchange(session, key, using: &generator).confirm()
        case .passkeyDisplay:
            let passkey = Passkey.draw(using: &generator)
            return LegacyExchange(session, .init(passkey: passkey), using: &generator).confirm()
                .after([.ask(.display(passkey))])
        case .passkeyEntry, .passkeyEntryOnBoth: return EnteringPasskey.begin(.legacy(session))
        // Legacy pairing has no numeric comparison, and Table 2.8 (Vol 3, Part H, 2.3.5.1) never
        // selects it for legacy pairing.
        case .numericComparison: throw PairingRefusal(.unspecified)
        }
    }

    /// Returns the step in which the initiator commits to its random number first.
    func confirm() -> PairingStep {
        PairingStep(
            .awaitingConfirm(AwaitingConfirm(exchange: self)),
            session.isInitiator ? [ownConfirm] : []
        )
    }

    var ownConfirm: SecurityManager.Action { .send(.pairingConfirm(confirmValue(of: random))) }

    /// Returns the confirm value for a random number.
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

    /// Returns the short-term key, which encrypts the link during and after the pairing. Later
    /// links use the distributed key (Vol 3, Part H, 2.3.5.5).
    func shortTermKey(_ peer: SMP.Value128) -> HCI.Key128 {
        let key =
            session.isInitiator
            ? SMP.Toolbox.s1(temporaryKey, responder: peer, initiator: random)
            : SMP.Toolbox.s1(temporaryKey, responder: random, initiator: peer)
        return key.shortened(to: session.terms.keySize)
    }

    var isDisplaying: Bool { session.terms.method == .passkeyDisplay }
}

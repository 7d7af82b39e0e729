// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// Authentication Stage 2: each side shows that it has come to the same key, by the same terms, with
/// the same addresses (Vol 3, Part H, 2.3.5.6.5). The initiator shows it first.
struct AwaitingCheck: AgreedPhase {
    let pairing: Session
    private let own: SMP.Value128
    private let peer: SMP.Value128
    private let key: AgreedKey

    /// - Parameter secrets: what either side has heard from the other before they met: the passkey,
    ///   or the random number of the *named* side; zero if nothing.
    init(
        _ exchange: SecureExchange,
        _ nonces: Nonces,
        _ secrets: Nonces = Nonces(own: SMP.Value128(), peer: SMP.Value128())
    ) {
        let session = exchange.session
        let context = session.context
        let numbers = session.isInitiator ? (nonces.own, nonces.peer) : (nonces.peer, nonces.own)
        let keys = SMP.Toolbox.f5(
            exchange.secret,
            numbers.0,
            numbers.1,
            session.initiator,
            session.responder
        )
        pairing = session
        key = AgreedKey(
            value: keys.longTermKey.shortened(to: session.terms.keySize),
            isKnownToAll: exchange.usesDebugKey
        )
        own = SMP.Toolbox.f6(
            keys.checkKey,
            nonces.own,
            nonces.peer,
            secrets.peer,
            session.ownFeatures,
            context.localAddress,
            context.peerAddress
        )
        peer = SMP.Toolbox.f6(
            keys.checkKey,
            nonces.peer,
            nonces.own,
            secrets.own,
            session.peerFeatures,
            context.peerAddress,
            context.localAddress
        )
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step {
        guard case .dhKeyCheck(let value) = pdu else { throw unexpected(pdu) }
        try verify(value)
        return complete()
    }

    /// The first check is the initiator's.
    func begin() -> Step {
        Step(.awaitingCheck(self), pairing.isInitiator ? [.send(.dhKeyCheck(own))] : [])
    }

    func verify(_ value: SMP.Value128) throws(Refusal) {
        guard peer.matches(value) else { throw Refusal(.dhKeyCheckFailed) }
    }

    /// The peer's check was right.
    func complete() -> Step {
        let step = AwaitingEncryption.begin(pairing, key)
        return pairing.isInitiator ? step : step.after([.send(.dhKeyCheck(own))])
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The phase of Authentication Stage 2, in which each device proves that it has computed the same
/// key with the same features and addresses (Vol 3, Part H, 2.3.5.6.5). The initiator sends its
/// check first.
struct AwaitingCheck: AgreedPhase {
    let pairing: Session
    private let own: SMP.Value128
    private let peer: SMP.Value128
    private let key: AgreedKey

    /// Computes the keys and the checks of both devices.
    ///
    /// - Parameters:
    ///   - exchange: The exchange of public keys.
    ///   - nonces: The random numbers of both devices.
    ///   - secrets: For each device, the value that it shared with its peer before the pairing: the
    ///     passkey, the random number in its out-of-band data, or zero.
    init(_ exchange: SecureExchange, _ nonces: Sides, _ secrets: Sides = .zeros) {
        let session = exchange.session
        let keys = SMP.Toolbox.f5(
            exchange.secret,
            session.isInitiator ? nonces.own : nonces.peer,
            session.isInitiator ? nonces.peer : nonces.own,
            session.initiator,
            session.responder
        )
        let us = Party(
            nonce: nonces.own,
            secret: secrets.own,
            features: session.ownFeatures,
            address: session.context.localAddress
        )
        let them = Party(
            nonce: nonces.peer,
            secret: secrets.peer,
            features: session.peerFeatures,
            address: session.context.peerAddress
        )
        pairing = session
        own = us.check(to: them, keys.checkKey)
        peer = them.check(to: us, keys.checkKey)
        key = AgreedKey(
            value: keys.longTermKey.shortened(to: session.terms.keySize),
            usesDebugKey: exchange.usesDebugKey
        )
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard case .dhKeyCheck(let value) = pdu else { throw unexpected(pdu) }
        try verify(value)
        return complete()
    }

    /// Returns the first step. The initiator sends the first check.
    func begin() -> PairingStep {
        PairingStep(.awaitingCheck(self), pairing.isInitiator ? [.send(.dhKeyCheck(own))] : [])
    }

    func verify(_ value: SMP.Value128) throws(PairingRefusal) {
        guard peer.matches(value) else { throw PairingRefusal(.dhKeyCheckFailed) }
    }

    /// Returns the step after the peer's check was verified.
    func complete() -> PairingStep {
        let step = AwaitingEncryption.begin(pairing, key)
        return pairing.isInitiator ? step : step.after([.send(.dhKeyCheck(own))])
    }
}

/// The values of one device that the checks use.
private struct Party {
    let nonce: SMP.Value128
    let secret: SMP.Value128
    let features: SMP.PairingFeatures
    let address: DeviceAddress

    /// Returns the check that this device sends, which uses the other device's secret.
    func check(to other: Party, _ key: HCI.Key128) -> SMP.Value128 {
        SMP.Toolbox.f6(key, nonce, other.nonce, other.secret, features, address, other.address)
    }
}

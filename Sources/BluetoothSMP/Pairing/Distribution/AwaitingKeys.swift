// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// Phase 3 of a pairing, in which the devices distribute keys on the encrypted link (Vol 3, Part H,
/// 2.4.3 and 3.6). The responder starts, and each device sends its keys in a fixed order.
struct AwaitingKeys: AgreedPhase {
    let pairing: Session
    private var keys: Pairing.Keys
    /// The PDUs that the peer has still to send, in this order.
    private var awaited: ArraySlice<SMP.Code>

    static func begin(
        _ session: Session,
        _ key: AgreedKey,
        using generator: inout some RandomNumberGenerator
    ) -> PairingStep {
        let phase = AwaitingKeys(session, key)
        return session.isInitiator
            ? phase.proceed(using: &generator) : phase.distribute(using: &generator)
    }

    private init(_ session: Session, _ key: AgreedKey) {
        pairing = session
        keys = Pairing.Keys(session.terms, key)
        awaited = session.peerKeys.codes[...]
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep {
        guard pdu.code == awaited.first else { throw unexpected(pdu) }
        var phase = self
        phase.awaited.removeFirst()
        try phase.keys.keep(pdu, pairing)
        return phase.proceed(using: &generator)
    }

    /// Ends the pairing if the encryption ends. The keys distributed so far are discarded.
    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? {
        guard isEncrypted else { throw .notEncrypted }
        return nil
    }

    /// Returns the next step. When the peer has sent all keys, the initiator sends its own, and the
    /// responder has finished.
    private func proceed(using generator: inout some RandomNumberGenerator) -> PairingStep {
        guard awaited.isEmpty else { return PairingStep(.awaitingKeys(self)) }
        guard pairing.isInitiator else { return PairingStep(nil, .paired(keys.finished)) }
        var phase = self
        let sent = phase.keys.give(pairing, using: &generator)
        return PairingStep(nil, sent + [.paired(phase.keys.finished)])
    }

    /// Sends all keys of the responder, which then waits for those of the initiator.
    private func distribute(using generator: inout some RandomNumberGenerator) -> PairingStep {
        var phase = self
        let sent = phase.keys.give(pairing, using: &generator)
        return phase.proceed(using: &generator).after(sent)
    }
}

extension Session {
    fileprivate var ownKeys: SMP.KeyDistribution {
        isInitiator ? terms.initiatorKeys : terms.responderKeys
    }

    fileprivate var peerKeys: SMP.KeyDistribution {
        isInitiator ? terms.responderKeys : terms.initiatorKeys
    }
}

extension SMP.KeyDistribution {
    /// The codes of the PDUs that distribute the keys, in order (Vol 3, Part H, 3.6.1).
    fileprivate var codes: [SMP.Code] {
        var codes: [SMP.Code] = []
        if contains(.encryptionKey) { codes += [.encryptionInformation, .centralIdentification] }
        if contains(.identityKey) { codes += [.identityInformation, .identityAddressInformation] }
        if contains(.signingKey) { codes += [.signingInformation] }
        return codes
    }
}

extension Pairing.Keys {
    /// Generates the keys for the peer, and stores the local copies.
    fileprivate mutating func give(
        _ session: Session,
        using generator: inout some RandomNumberGenerator
    ) -> [SecurityManager.Action] {
        let identity = session.context.identity
        var pdus: [SMP.PDU] = []
        if session.ownKeys.contains(.encryptionKey) {
            let key = LongTermKey(drawing: keySize, using: &generator)
            localKey = key
            pdus += [
                .encryptionInformation(key.value),
                .centralIdentification(diversifier: key.diversifier, random: key.random),
            ]
        }
        if session.ownKeys.contains(.identityKey) {
            pdus += [
                .identityInformation(identity.resolvingKey),
                .identityAddressInformation(identity.address),
            ]
        }
        if session.ownKeys.contains(.signingKey) {
            let key = HCI.Key128(using: &generator)
            localSigningKey = key
            pdus.append(.signingInformation(key))
        }
        return pdus.map { .send($0) }
    }
}

extension LongTermKey {
    /// Creates a new random key with random numbers.
    fileprivate init(drawing bytes: Int, using generator: inout some RandomNumberGenerator) {
        self.init(
            HCI.Key128(using: &generator).shortened(to: bytes),
            diversifier: UInt16.random(in: .min ... .max, using: &generator),
            random: UInt64.random(in: .min ... .max, using: &generator)
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// The key that Phase 2 has made: the long term key of LE Secure Connections, or the short term key
/// of legacy pairing.
struct AgreedKey: Sendable {
    /// Not longer than was agreed on.
    let value: HCI.Key128
    /// Whether the private key that the specification prints went into it.
    var isKnownToAll = false
}

/// Both sides have the key. The Central encrypts the link with it (Vol 3, Part H, 2.4.4.1).
struct AwaitingEncryption: AgreedPhase {
    let pairing: Session
    let key: AgreedKey

    static func begin(_ session: Session, _ key: AgreedKey) -> Step {
        Step(
            .awaitingEncryption(AwaitingEncryption(pairing: session, key: key)),
            session.isInitiator ? [.encrypt(LongTermKey(key.value))] : []
        )
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step { throw unexpected(pdu) }

    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> Step? {
        guard isEncrypted else { throw .notEncrypted }
        return AwaitingKeys.begin(pairing, key, using: &generator)
    }
}

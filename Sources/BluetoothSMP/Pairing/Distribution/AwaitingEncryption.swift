// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

/// The key that phase 2 created: the long-term key of LE Secure Connections, or the short-term key
/// of legacy pairing.
struct AgreedKey: Sendable {
    /// The key, shortened to the agreed size.
    let value: HCI.Key128
    /// Whether the key was created from the published debug key.
    var usesDebugKey = false
}

/// The phase in which both devices have the key, and the central encrypts the link with it (Vol 3,
/// Part H, 2.4.4.1).
struct AwaitingEncryption: AgreedPhase {
    let pairing: Session
    let key: AgreedKey

    static func begin(_ session: Session, _ key: AgreedKey) -> PairingStep {
        PairingStep(
            .awaitingEncryption(AwaitingEncryption(pairing: session, key: key)),
            session.isInitiator ? [.encrypt(LongTermKey(key.value))] : []
        )
    }

    func receive(
        _ pdu: SMP.PDU,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep { throw unexpected(pdu) }

    func encryptionChanged(
        isEncrypted: Bool,
        using generator: inout some RandomNumberGenerator
    ) throws(PairingRefusal) -> PairingStep? {
        guard isEncrypted else { throw .notEncrypted }
        return AwaitingKeys.begin(pairing, key, using: &generator)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// What the peer hands over (Vol 3, Part H, 3.6.2 to 3.6.6).
extension Pairing.Keys {
    /// What there is before any key was handed over.
    init(_ terms: Terms, _ key: AgreedKey) {
        self.init(
            method: terms.method,
            usesSecureConnections: terms.usesSecureConnections,
            keySize: terms.keySize,
            isBonded: terms.isBonding && !key.isKnownToAll
        )
        usedDebugKey = key.isKnownToAll
        guard terms.usesSecureConnections else { return }
        peerKey = LongTermKey(key.value)
        localKey = peerKey
    }

    /// Throws for a key that is none.
    mutating func keep(_ pdu: SMP.PDU, _ session: Session) throws(Refusal) {
        switch pdu {
        case .encryptionInformation(let key):
            guard !key.isZero else { throw Refusal(.keyRejected) }
            peerKey = LongTermKey(key.shortened(to: keySize))
        case .centralIdentification(let diversifier, let random):
            peerKey?.diversifier = diversifier
            peerKey?.random = random
        // A key of zeros says that the peer has no private addresses (Vol 3, Part H, 2.4.2.1).
        case .identityInformation(let key): peerResolvingKey = key.isZero ? nil : key
        case .identityAddressInformation(let address): try keepIdentity(address, session)
        case .signingInformation(let key): peerSigningKey = key
        default: break
        }
    }

    /// An address that changes is no identity, and ours is not the peer's.
    private mutating func keepIdentity(
        _ address: DeviceAddress,
        _ session: Session
    ) throws(Refusal) {
        guard address.kind == .public || address.randomKind == .static,
            address != session.context.identity.address
        else { throw Refusal(.invalidParameters) }
        // Some send zeros for want of an identity. Then nothing can be resolved to it either.
        if address.value == 0 { peerResolvingKey = nil } else { peerIdentity = address }
    }

    /// The same, when all was handed over that will be. There is no bond without a key that could
    /// encrypt another link.
    var finished: Pairing.Keys {
        var keys = self
        keys.isBonded = isBonded && (peerKey != nil || localKey != nil)
        return keys
    }
}

extension HCI.Key128 {
    fileprivate var isZero: Bool { !bytes.contains { $0 != 0 } }
}

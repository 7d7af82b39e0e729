// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

// The keys that the peer distributes (Vol 3, Part H, 3.6.2 to 3.6.6).
extension Pairing.Keys {
    /// Creates the keys that exist before the devices distribute keys: that of LE Secure
    /// Connections, or none with legacy pairing.
    init(_ terms: Terms, _ key: AgreedKey) {
        self.init(
            method: terms.method,
            usesSecureConnections: terms.usesSecureConnections,
            keySize: terms.keySize,
            isBonded: terms.isBonding && !key.usesDebugKey
        )
        usedDebugKey = key.usesDebugKey
        guard terms.usesSecureConnections else { return }
        peerKey = LongTermKey(key.value)
        localKey = peerKey
    }

    /// Stores a distributed key.
    ///
    /// - Throws: ``PairingRefusal`` if the key is not acceptable.
    mutating func keep(_ pdu: SMP.PDU, _ session: Session) throws(PairingRefusal) {
        switch pdu {
        case .encryptionInformation(let key):
            guard !key.isZero else { throw PairingRefusal(.keyRejected) }
            peerKey = LongTermKey(key.shortened(to: keySize))
        case .centralIdentification(let diversifier, let random):
            peerKey?.diversifier = diversifier
            peerKey?.random = random
        // A key of zeros means that the peer has no private addresses (Vol 3, Part H, 3.6.4).
        case .identityInformation(let key): peerResolvingKey = key.isZero ? nil : key
        case .identityAddressInformation(let address): try keepIdentity(address, session)
        case .signingInformation(let key): peerSigningKey = key
        default: break
        }
    }

    /// Stores the peer's identity address. Refuses a private address, which is not an identity
    /// address, and the identity address of the local device.
    private mutating func keepIdentity(
        _ address: DeviceAddress,
        _ session: Session
    ) throws(PairingRefusal) {
        guard address.kind == .public || address.randomKind == .static,
            address != session.context.identity.address
        else { throw PairingRefusal(.invalidParameters) }
        // Some devices send zeros if they have no identity address. Their private addresses cannot
        // be resolved then.
        if address.value == 0 { peerResolvingKey = nil } else { peerIdentity = address }
    }

    /// The keys after the distribution is complete. `isBonded` becomes `false` if no key can
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

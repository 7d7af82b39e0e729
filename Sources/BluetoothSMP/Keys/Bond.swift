// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The keys and the facts about one peer that remain valid after a link ends.
package struct Bond: Hashable, Sendable {
    /// The identifier by which the application knows the peer, independent of the peer's addresses.
    /// A bond that replaces an earlier one keeps its identifier.
    package var identifier: PeerIdentifier

    /// The identity address of the peer: the one that the peer distributed, or otherwise the
    /// address that the peer used on the link.
    package var peer: DeviceAddress

    /// The local identity address at the time of the pairing, or `nil` in a bond without a pairing.
    package var localIdentity: DeviceAddress?

    /// The name of the peer, or `nil` if it was never read.
    package var name: String?

    /// The key that encrypts links on which the local device is the central. The peer distributed
    /// it, or both devices generated it.
    package var peerKey: LongTermKey?

    /// The key that encrypts links on which the local device is the peripheral. The local device
    /// distributed it, or both devices generated it.
    package var localKey: LongTermKey?

    /// Whether the pairing protected against a man in the middle.
    package var isAuthenticated: Bool

    /// Whether LE Secure Connections generated the keys.
    package var usesSecureConnections: Bool

    /// The size of the keys in bytes, 7 to 16. The other bytes are zero.
    package var keySize: Int

    /// The identity resolving key for the peer's private addresses, or `nil` if there is none.
    package var resolvingKey: HCI.Key128?

    /// The key with which the peer signs commands on links without encryption, or `nil` if there is
    /// none.
    package var peerSigningKey: HCI.Key128?

    /// The key with which the local device signs commands, or `nil` if there is none.
    package var localSigningKey: HCI.Key128?

    /// Creates a bond from a key that no pairing of this host generated. The key is used in both
    /// roles. If `identifier` is `nil`, the identifier is derived from the address.
    package init(
        identifier: PeerIdentifier? = nil,
        peer: DeviceAddress,
        longTermKey: HCI.Key128,
        encryptedDiversifier: UInt16 = 0,
        random: UInt64 = 0,
        isAuthenticated: Bool = false,
        usesSecureConnections: Bool = true,
        keySize: Int = 16,
        peerSigningKey: HCI.Key128? = nil
    ) {
        let key = LongTermKey(
            longTermKey,
            diversifier: encryptedDiversifier,
            random: random
        )
        self.identifier = identifier ?? PeerIdentifier(of: peer)
        self.peer = peer
        peerKey = key
        localKey = key
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.keySize = keySize
        self.peerSigningKey = peerSigningKey
    }

    /// Creates a bond without keys. The caller sets the keys that exist.
    package init(
        identifier: PeerIdentifier,
        peer: DeviceAddress,
        localIdentity: DeviceAddress?,
        keySize: Int
    ) {
        self.identifier = identifier
        self.peer = peer
        self.localIdentity = localIdentity
        self.keySize = keySize
        isAuthenticated = false
        usesSecureConnections = false
    }

    /// Creates the bond that results from a pairing.
    ///
    /// - Parameters:
    ///   - keys: The keys of the pairing.
    ///   - identifier: The identifier of the peer.
    ///   - connectedAddress: The address of the peer on the link, which is its identity address if
    ///     it distributed no other.
    ///   - localIdentity: The local identity address.
    package init(
        _ keys: Pairing.Keys,
        identifier: PeerIdentifier,
        connectedAddress: DeviceAddress,
        localIdentity: DeviceAddress
    ) {
        self.identifier = identifier
        peer = keys.peerIdentity ?? connectedAddress
        self.localIdentity = localIdentity
        peerKey = keys.peerKey
        localKey = keys.localKey
        isAuthenticated = keys.method.isAuthenticated
        usesSecureConnections = keys.usesSecureConnections
        keySize = keys.keySize
        resolvingKey = keys.peerResolvingKey
        peerSigningKey = keys.peerSigningKey
        localSigningKey = keys.localSigningKey
    }

    /// Returns the security of a link to this peer that is either not encrypted or encrypted with a
    /// key of this bond.
    package func security(isEncrypted: Bool) -> LinkSecurity {
        guard isEncrypted else { return LinkSecurity(isBonded: true) }
        return LinkSecurity(
            isEncrypted: true,
            isAuthenticated: isAuthenticated,
            usesSecureConnections: usesSecureConnections,
            keySize: keySize,
            isBonded: true
        )
    }
}

extension PeerIdentifier {
    /// Creates an identifier from an address and its type, for a bond without an identifier.
    fileprivate init(of peer: DeviceAddress) {
        let zeros = [UInt8](repeating: 0, count: Self.length - 7)
        let bytes = zeros + [peer.kind.rawValue] + peer.littleEndianBytes.reversed()
        self.init(bytes: bytes)
    }
}

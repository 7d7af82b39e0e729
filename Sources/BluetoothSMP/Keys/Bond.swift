// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// What is shared with one peer for good.
package struct Bond: Hashable, Sendable {
    /// What the application knows the peer by, whatever becomes of its addresses; the same for a
    /// bond that takes the place of an earlier one.
    package var identifier: PeerIdentifier

    /// Who the peer is, by the address that stays the same: the one that it told, or, if it told
    /// none, the one that it connected with.
    package var peer: DeviceAddress

    /// Who we were when the bond was made; nil in bonds that were not made by pairing.
    package var localIdentity: DeviceAddress?

    /// What the peer calls itself; nil as long as nobody has asked.
    package var name: String?

    /// What encrypts links on which we are the Central: distributed by the peer, or made together.
    package var peerKey: LongTermKey?

    /// What encrypts links on which we are the Peripheral: distributed by us, or made together.
    package var localKey: LongTermKey?

    /// Whether the keys were made with protection against a man in the middle.
    package var isAuthenticated: Bool

    /// Whether the keys were made by LE Secure Connections.
    package var usesSecureConnections: Bool

    /// How many octets of the keys are not zero, 7 to 16.
    package var keySize: Int

    /// What the peer's private addresses are made with; nil if it has none.
    package var resolvingKey: HCI.Key128?

    /// What the peer signs commands with on links that are not encrypted; nil if nothing.
    package var peerSigningKey: HCI.Key128?

    /// What we sign commands with; nil if nothing.
    package var localSigningKey: HCI.Key128?

    /// A bond with one key for both roles, made elsewhere. Its identifier, unless there is one
    /// already, is the address.
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

    /// A bond without keys, for somebody who knows which of them there are.
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

    /// What a pairing has come to.
    ///
    /// - Parameters:
    ///   - connectedAddress: who the peer is if it has told no other address.
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

    /// A link that is not encrypted, or encrypted with a key of this bond.
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
    /// The octets of an address and its type, for want of anything better.
    fileprivate init(of peer: DeviceAddress) {
        let zeros = [UInt8](repeating: 0, count: Self.length - 7)
        let octets = zeros + [peer.kind.rawValue] + peer.littleEndianBytes.reversed()
        self.init(octets: octets)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// What is shared with one peer for good: the key that encrypts links with it.
///
/// The key and its names are those of whichever side distributed it. Keys of LE Secure Connections
/// belong to both, and have no names: diversifier and random number are zero (Vol 3, Part H,
/// 2.4.4 and 2.3.5.6).
package struct Bond: Hashable, Sendable {
    /// Who the peer is, by the address that stays the same.
    package var peer: DeviceAddress

    /// What encrypts the link; its description says nothing of the octets.
    package var longTermKey: HCI.Key128

    /// The first half of the key's name.
    package var encryptedDiversifier: UInt16

    /// The second half of the key's name.
    package var random: UInt64

    /// Whether the key was made with protection against a man in the middle.
    package var isAuthenticated: Bool

    /// Whether the key was made by LE Secure Connections.
    package var usesSecureConnections: Bool

    /// How many octets of the key are not zero, 7 to 16.
    package var keySize: Int

    /// What the peer signs commands with on links that are not encrypted; nil if nothing.
    package var peerSigningKey: HCI.Key128?

    package init(
        peer: DeviceAddress,
        longTermKey: HCI.Key128,
        encryptedDiversifier: UInt16 = 0,
        random: UInt64 = 0,
        isAuthenticated: Bool = false,
        usesSecureConnections: Bool = true,
        keySize: Int = 16,
        peerSigningKey: HCI.Key128? = nil
    ) {
        self.peer = peer
        self.longTermKey = longTermKey
        self.encryptedDiversifier = encryptedDiversifier
        self.random = random
        self.isAuthenticated = isAuthenticated
        self.usesSecureConnections = usesSecureConnections
        self.keySize = keySize
        self.peerSigningKey = peerSigningKey
    }

    /// A link that is not encrypted, or encrypted with the key of this bond.
    func security(isEncrypted: Bool) -> LinkSecurity {
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Pairing {
    /// What a device says of itself when it pairs, the same to every peer.
    package struct LocalIdentity: Hashable, Sendable {
        /// The address that stays the same.
        package var address: DeviceAddress
        /// What our private addresses are made with (Vol 3, Part H, 2.4.2.1).
        package var resolvingKey: HCI.Key128

        package init(address: DeviceAddress, resolvingKey: HCI.Key128) {
            self.address = address
            self.resolvingKey = resolvingKey
        }
    }

    /// What a pairing has made, and the peer has handed over.
    package struct Keys: Hashable, Sendable {
        /// How the two sides made sure of each other.
        package var method: Method
        /// What encrypts links on which we are the Central; nil if the peer gave none.
        package var peerKey: LongTermKey?
        /// What encrypts links on which we are the Peripheral; nil if we gave none. The same as
        /// `peerKey` by LE Secure Connections.
        package var localKey: LongTermKey?
        package var usesSecureConnections: Bool
        /// In octets.
        package var keySize: Int
        /// Whether both sides keep the keys.
        package var isBonded: Bool
        /// Whether one side used the private key that everybody knows.
        package var usedDebugKey = false
        /// The peer's address that stays the same, if it told.
        package var peerIdentity: DeviceAddress?
        /// What the peer's private addresses are made with, if it told.
        package var peerResolvingKey: HCI.Key128?
        /// What the peer signs with, if it told.
        package var peerSigningKey: HCI.Key128?
        /// What we sign with, if we told.
        package var localSigningKey: HCI.Key128?

        package init(
            method: Method,
            usesSecureConnections: Bool,
            keySize: Int,
            isBonded: Bool
        ) {
            self.method = method
            self.usesSecureConnections = usesSecureConnections
            self.keySize = keySize
            self.isBonded = isBonded
        }
    }
}

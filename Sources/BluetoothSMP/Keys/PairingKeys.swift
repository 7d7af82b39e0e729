// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

extension Pairing {
    /// The information that the local device distributes in a pairing, equal for all peers.
    package struct LocalIdentity: Hashable, Sendable {
        /// The identity address.
        package var address: DeviceAddress
        /// The identity resolving key, which generates the local private addresses (Vol 3, Part H,
        /// 2.4.2.1).
        package var resolvingKey: HCI.Key128

        package init(address: DeviceAddress, resolvingKey: HCI.Key128) {
            self.address = address
            self.resolvingKey = resolvingKey
        }
    }

    /// The result of a pairing: the generated keys and the keys that the peer distributed.
    package struct Keys: Hashable, Sendable {
        package var method: Method
        /// The key for links on which the local device is the central. With legacy pairing, `nil`
        /// if the peer distributed none.
        package var peerKey: LongTermKey?
        /// The key for links on which the local device is the peripheral. With LE Secure
        /// Connections, it equals `peerKey`. With legacy pairing, `nil` if the local device
        /// distributed none.
        package var localKey: LongTermKey?
        package var usesSecureConnections: Bool
        /// The key size in bytes.
        package var keySize: Int
        /// Whether both devices store the keys.
        package var isBonded: Bool
        /// Whether one of the devices used the published debug key.
        package var usedDebugKey = false
        /// The peer's identity address, or `nil` if the peer did not distribute it.
        package var peerIdentity: DeviceAddress?
        /// The peer's identity resolving key, or `nil` if the peer did not distribute it.
        package var peerResolvingKey: HCI.Key128?
        /// The peer's signing key, or `nil` if the peer did not distribute it.
        package var peerSigningKey: HCI.Key128?
        /// The local signing key, or `nil` if the local device did not distribute it.
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

/// A key that encrypts links, with the two numbers by which a central requests it (Vol 3, Part H,
/// 2.4.4).
///
/// Both numbers are zero for a key of LE Secure Connections and for the short-term key of legacy
/// pairing.
package struct LongTermKey: Hashable, Sendable {
    /// The key. Its description omits its bytes.
    package var value: HCI.Key128

    /// The encrypted diversifier, the first number.
    package var diversifier: UInt16

    /// The random number, the second number.
    package var random: UInt64

    package init(_ value: HCI.Key128, diversifier: UInt16 = 0, random: UInt64 = 0) {
        self.value = value
        self.diversifier = diversifier
        self.random = random
    }
}

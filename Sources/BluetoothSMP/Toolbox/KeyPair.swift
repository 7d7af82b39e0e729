// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI

extension SMP {
    /// A key pair for one pairing, with the public key in transmission order (Vol 3, Part H,
    /// 2.3.5.6.1).
    package struct KeyPair: Sendable {
        private let pair: P256KeyPair

        /// The public key, which the peer receives.
        package let publicKey: PublicKey

        /// Creates a random key pair, or returns `nil` if the generator yields no valid private
        /// key, which does not happen with a fair generator.
        package init?(using generator: inout some RandomNumberGenerator) {
            guard let pair = P256KeyPair(using: &generator) else { return nil }
            self.init(pair)
        }

        /// Creates the key pair of a private key of 32 bytes, most significant byte first.
        init?(privateKey: [UInt8]) {
            guard let pair = P256KeyPair(privateKey: privateKey) else { return nil }
            self.init(pair)
        }

        private init?(_ pair: P256KeyPair) {
            guard let x = HCI.Coordinate256(pair.publicKey.x.reversed()),
                let y = HCI.Coordinate256(pair.publicKey.y.reversed())
            else { return nil }
            self.pair = pair
            publicKey = PublicKey(x: x, y: y)
        }

        /// The private key, most significant byte first.
        var privateKey: [UInt8] { pair.privateKey }

        /// The published debug key pair, with which a sniffer can decrypt the traffic.
        package static let debug = P256KeyPair.debug.flatMap { KeyPair($0) }

        /// Computes the secret that only the owners of the two private keys can compute.
        ///
        /// - Returns: The secret, or `nil` if the peer's key is not valid. From the result for an
        ///   invalid key, an attacker could derive the local private key.
        package func sharedSecret(with peer: PublicKey) -> HCI.SharedSecret256? {
            pair.sharedSecret(with: P256PublicKey(x: peer.x.bigEndian, y: peer.y.bigEndian))
                .flatMap { HCI.SharedSecret256($0.reversed()) }
        }
    }
}

extension HCI.P256PublicKey {
    /// Whether the key is a valid point of the curve.
    package var isValid: Bool { P256PublicKey(x: x.bigEndian, y: y.bigEndian).isValid }

    /// Whether this is the published debug key or its negation.
    package var isPublishedDebugKey: Bool { x == SMP.KeyPair.debug?.publicKey.x }
}

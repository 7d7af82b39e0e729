// SPDX-License-Identifier: Apache-2.0

import BluetoothCrypto
import BluetoothHCI

extension SMP {
    /// A private and a public key for one pairing, as they travel (Vol 3, Part H, 2.3.5.6.1).
    package struct KeyPair: Sendable {
        private let pair: P256KeyPair

        /// The half that the peer is told.
        package let publicKey: PublicKey

        /// Draws a pair. Nil if the generator gives no number that can be a private key, which a
        /// fair one does not do.
        package init?(using generator: inout some RandomNumberGenerator) {
            guard let pair = P256KeyPair(using: &generator) else { return nil }
            self.init(pair)
        }

        /// The pair of a private key of 32 octets, most significant first.
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

        /// The private half, most significant octet first.
        var privateKey: [UInt8] { pair.privateKey }

        /// The pair that the specification prints, so that a sniffer can follow.
        package static let debug = P256KeyPair.debug.flatMap { KeyPair($0) }

        /// What only the owners of both private keys know. Nil if the peer's key is no point of the
        /// curve, or one that nobody draws; whoever sent it is after our private key.
        package func sharedSecret(with peer: PublicKey) -> HCI.SharedSecret256? {
            pair.sharedSecret(with: P256PublicKey(x: peer.x.bigEndian, y: peer.y.bigEndian))
                .flatMap { HCI.SharedSecret256($0.reversed()) }
        }
    }
}

extension HCI.P256PublicKey {
    /// Whether the key is a point of the curve that somebody can have drawn.
    package var isValid: Bool { P256PublicKey(x: x.bigEndian, y: y.bigEndian).isValid }

    /// Whether this is the public key whose private key everybody knows, or its mirror image.
    package var isPublishedDebugKey: Bool { x == SMP.KeyPair.debug?.publicKey.x }
}

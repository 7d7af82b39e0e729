// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A private and public key on the curve P-256 (Vol 3, Part H, 2.3.5.6.1; FIPS 186-4, D.1.2.3).
package struct P256KeyPair: Sendable {
    /// The length of a private key, a coordinate and a shared secret in bytes.
    package static let length = 32

    /// The number of attempts to draw a private key. One draw in 2³² is not a valid key, so a fair
    /// generator does not reach this limit.
    static let drawLimit = 8

    private let key: P256.KeyAgreement.PrivateKey

    /// The public key, which the peer receives.
    package let publicKey: P256PublicKey

    /// Creates the key pair of a private key.
    ///
    /// - Parameter privateKey: 32 bytes, most significant byte first. The initializer returns `nil`
    ///   if the number is zero or not below the order of the curve.
    package init?(privateKey: some Collection<UInt8>) {
        guard privateKey.count == Self.length,
            let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(privateKey))
        else { return nil }
        let coordinates = key.publicKey.rawRepresentation
        self.key = key
        publicKey = P256PublicKey(
            x: Array(coordinates.prefix(Self.length)),
            y: Array(coordinates.suffix(Self.length))
        )
    }

    /// Creates a random key pair.
    ///
    /// The initializer draws 32 bytes, and draws again if they are not a valid private key. It
    /// returns `nil` after `drawLimit` draws.
    package init?(using generator: inout some RandomNumberGenerator) {
        for _ in 0..<Self.drawLimit {
            guard let pair = Self(privateKey: Self.draw(using: &generator)) else { continue }
            self = pair
            return
        }
        return nil
    }

    private static func draw(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<length / 8).flatMap { _ in
            let word = generator.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }

    /// The private key, most significant byte first.
    package var privateKey: [UInt8] { Array(key.rawRepresentation) }

    /// Computes the secret that only the owners of the two private keys can compute: the
    /// x-coordinate of the product of this private key and the other public key. It has 32 bytes,
    /// most significant byte first.
    ///
    /// - Returns: The secret, or `nil` if the other key is not valid.
    package func sharedSecret(with other: P256PublicKey) -> [UInt8]? {
        guard let point = other.point,
            let secret = try? key.sharedSecretFromKeyAgreement(with: point)
        else { return nil }
        return secret.withUnsafeBytes { Array($0) }
    }

    /// The debug key pair, which the specification publishes so that a sniffer can decrypt the
    /// traffic (Vol 3, Part H, 2.3.5.6.1).
    ///
    /// It provides no security. The value is not expected to be `nil`.
    package static let debug = P256KeyPair(
        privateKey: [
            0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10,
            0x3F, 0x50, 0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6,
            0xCD, 0x3C, 0x1A, 0xBD,
        ]
    )
}

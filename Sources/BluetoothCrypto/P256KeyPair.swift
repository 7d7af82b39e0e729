// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A private and a public key on the curve P-256 (Vol 3, Part H, 2.3.5.6.1; FIPS 186-4, D.1.2.3).
package struct P256KeyPair: Sendable {
    /// The octets of a private key, of a coordinate and of a shared secret.
    package static let length = 32

    /// How often a private key is drawn. One draw in 2³² is none, so a fair generator never gets
    /// there.
    static let drawLimit = 8

    private let key: P256.KeyAgreement.PrivateKey

    /// The half that others are told.
    package let publicKey: P256PublicKey

    /// The pair of a private key of 32 octets, most significant first. Nil if the number is zero, or
    /// not below the order of the curve.
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

    /// Draws a pair: 32 octets of the generator, and again if they are no private key. Nil after
    /// `drawLimit` draws.
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

    /// The private half, most significant octet first.
    package var privateKey: [UInt8] { Array(key.rawRepresentation) }

    /// What only the owners of both private keys know: the x-coordinate of the product, 32 octets,
    /// most significant first. Nil if the other key is not valid.
    package func sharedSecret(with other: P256PublicKey) -> [UInt8]? {
        guard let point = other.point,
            let secret = try? key.sharedSecretFromKeyAgreement(with: point)
        else { return nil }
        return secret.withUnsafeBytes { Array($0) }
    }

    /// The pair that the specification prints, for whoever wants to watch what is encrypted with its
    /// help (Vol 3, Part H, 2.3.5.6.1). Everybody knows it. Nil is not to be expected.
    package static let debug = P256KeyPair(
        privateKey: [
            0x3F, 0x49, 0xF6, 0xD4, 0xA3, 0xC5, 0x5F, 0x38, 0x74, 0xC9, 0xB3, 0xE3, 0xD2, 0x10,
            0x3F, 0x50, 0x4A, 0xFF, 0x60, 0x7B, 0xEB, 0x40, 0xB7, 0x99, 0x58, 0x99, 0xB8, 0xA6,
            0xCD, 0x3C, 0x1A, 0xBD,
        ]
    )
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import Crypto

/// A private and a public key on the curve P-256 (Vol 3, Part H, 2.3.5.6.1).
package struct KeyPair: Sendable {
    /// How often a private key is drawn. One draw in 2³² is none, so this never runs out.
    static let drawLimit = 8

    private let privateKey: P256.KeyAgreement.PrivateKey
    /// The public half, as it travels.
    package let publicKey: HCI.P256PublicKey

    /// The pair of a private key of 32 octets, the least significant first. Nil if the number is
    /// zero, or not below the order of the curve.
    package init?(privateKey octets: [UInt8]) {
        let bigEndian = Array(octets.reversed())
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bigEndian),
            let publicKey = HCI.P256PublicKey(bigEndian: Array(key.publicKey.rawRepresentation))
        else { return nil }
        privateKey = key
        self.publicKey = publicKey
    }

    /// Draws a pair. All of it follows from the dice, so that a run can be had again; for keys that
    /// must be secret this would not do. Nil is not to be expected, see `drawLimit`.
    package init?(using dice: inout RandomStream) {
        for _ in 0..<Self.drawLimit {
            let words = (0..<4).map { _ in dice.next() }
            let octets = words.flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            }
            guard let pair = KeyPair(privateKey: octets) else { continue }
            self = pair
            return
        }
        return nil
    }

    /// The secret that is shared with the owner of the other public key: the x-coordinate of the
    /// product. Nil if the public key is not a point of the curve.
    package func secret(with other: HCI.P256PublicKey) -> HCI.SharedSecret256? {
        guard
            let point = try? P256.KeyAgreement.PublicKey(rawRepresentation: other.bigEndian),
            let secret = try? privateKey.sharedSecretFromKeyAgreement(with: point)
        else { return nil }
        return secret.withUnsafeBytes { HCI.SharedSecret256($0.reversed()) }
    }

    /// The pair that everybody knows, for whoever wants to watch what is encrypted with its help
    /// (Vol 3, Part H, 2.3.5.6.1).
    package static let debug = KeyPair(
        privateKey: [
            0xBD, 0x1A, 0x3C, 0xCD, 0xA6, 0xB8, 0x99, 0x58, 0x99, 0xB7, 0x40, 0xEB, 0x7B, 0x60,
            0xFF, 0x4A, 0x50, 0x3F, 0x10, 0xD2, 0xE3, 0xB3, 0xC9, 0x74, 0x38, 0x5F, 0xC5, 0xA3,
            0xD4, 0xF6, 0x49, 0x3F,
        ]
    )
}

extension HCI.P256PublicKey {
    /// The key of x and y, 32 octets each, the most significant first.
    fileprivate init?(bigEndian octets: [UInt8]) {
        guard let x = HCI.Coordinate256(octets.prefix(32).reversed()),
            let y = HCI.Coordinate256(octets.dropFirst(32).reversed())
        else { return nil }
        self.init(x: x, y: y)
    }

    /// x and y, the most significant octet first.
    fileprivate var bigEndian: [UInt8] { x.bytes.reversed() + y.bytes.reversed() }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto

/// An unverified point of the curve P-256: two 32-byte coordinates, most significant byte first.
///
/// A product of a private key and a point of another curve discloses part of the private key
/// (CVE-2018-5383). No computation therefore uses a key that is not valid.
package struct P256PublicKey: Hashable, Sendable {
    package var x: [UInt8]
    package var y: [UInt8]

    package init(x: [UInt8], y: [UInt8]) {
        self.x = x
        self.y = y
    }

    /// Whether both coordinates are below the field's prime and satisfy the equation of the curve.
    ///
    /// Points with x = 0 satisfy the equation but are rejected. A random key pair practically never
    /// has such a point, so a peer that sends one has chosen it on purpose.
    package var isValid: Bool { point != nil }

    /// The point, or `nil` if the key is not valid.
    ///
    /// The cryptographic library rejects coordinates that are too large and points that are not on
    /// the curve. The group has a prime order, so it has no small subgroups.
    var point: P256.KeyAgreement.PublicKey? {
        guard x.count == P256KeyPair.length, y.count == P256KeyPair.length,
            x.contains(where: { $0 != 0 })
        else { return nil }
        return try? P256.KeyAgreement.PublicKey(rawRepresentation: x + y)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Crypto

/// What claims to be a point of the curve P-256: two coordinates of 32 octets, most significant
/// first.
///
/// Whoever multiplies a point of another curve with a private key gives the key away piece by piece
/// (CVE-2018-5383), so nothing is computed with a key that is not valid.
package struct P256PublicKey: Hashable, Sendable {
    package var x: [UInt8]
    package var y: [UInt8]

    package init(x: [UInt8], y: [UInt8]) {
        self.x = x
        self.y = y
    }

    /// Whether both coordinates are below the prime of the field and fulfil the equation of the
    /// curve. The points with x = 0 do, and are refused all the same: nobody draws them by chance,
    /// and whoever sends one has chosen it.
    package var isValid: Bool { point != nil }

    /// The cryptographic library refuses coordinates that are too great and points that are not of
    /// the curve; the group has a prime order, so it has no small subgroups.
    var point: P256.KeyAgreement.PublicKey? {
        guard x.count == P256KeyPair.length, y.count == P256KeyPair.length,
            x.contains(where: { $0 != 0 })
        else { return nil }
        return try? P256.KeyAgreement.PublicKey(rawRepresentation: x + y)
    }
}

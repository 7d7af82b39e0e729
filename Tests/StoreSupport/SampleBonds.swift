// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// Bonds whose names and keys depend on their number and generation, so that a test detects a bond
/// with the values of two generations.
package enum SampleBonds {
    /// The identity of the host that has the bonds.
    package static let identity = DeviceAddress(value: 0xC0FF_EE00_0001, kind: .random)

    /// The identity resolving key of the host.
    package static let resolvingKey = key(0, 6)

    package static func peer(_ number: Int) -> DeviceAddress {
        DeviceAddress(value: 0xC000_0000_0000 | UInt64(number), kind: .random)
    }

    /// Returns one generation of a bond with all possible keys. The local signing key is the same
    /// in all generations.
    package static func bond(_ number: Int, generation: Int = 1) -> Bond {
        let seed = UInt64(number) << 32 | UInt64(generation)
        var bond = Bond(
            identifier: PeerIdentifier(bytes: bytes(UInt64(number), 0)),
            peer: peer(number),
            localIdentity: identity,
            keySize: 7 + generation % 10
        )
        bond.name = "peer \(number), generation \(generation)"
        bond.isAuthenticated = generation.isMultiple(of: 2)
        bond.usesSecureConnections = generation.isMultiple(of: 3)
        bond.peerKey = LongTermKey(key(seed, 1), diversifier: UInt16(truncatingIfNeeded: seed))
        bond.localKey = LongTermKey(key(seed, 2), random: seed &* 0x9E37_79B9_7F4A_7C15)
        bond.resolvingKey = key(seed, 3)
        bond.peerSigningKey = key(seed, 4)
        bond.localSigningKey = key(UInt64(number), 5)
        return bond
    }

    /// Returns the generation of a sample bond, or `nil` if the bond is not a sample bond.
    package static func generation(of bond: Bond) -> Int? {
        let number = Int(bond.peer.value & 0xFFFF_FFFF)
        guard let text = bond.name?.split(separator: " ").last, let generation = Int(text),
            bond == Self.bond(number, generation: generation)
        else { return nil }
        return generation
    }

    private static func bytes(_ seed: UInt64, _ part: UInt64) -> [UInt8] {
        var state = seed &* 31 &+ part
        return (0..<16).map { _ in
            state = state &* 0x5851_F42D_4C95_7F2D &+ 0x1405_7B7E_F767_814F
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    private static func key(_ seed: UInt64, _ part: UInt64) -> HCI.Key128 {
        var generator = FixedBytes(bytes: bytes(seed, part))
        return HCI.Key128(using: &generator)
    }
}

/// A generator that returns each of its bytes in turn, as a word of eight equal bytes.
private struct FixedBytes: RandomNumberGenerator {
    var bytes: [UInt8]

    mutating func next() -> UInt64 {
        let byte = bytes.isEmpty ? 0 : bytes.removeFirst()
        return UInt64(byte) &* 0x0101_0101_0101_0101
    }
}

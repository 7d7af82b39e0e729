// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The number that determines all randomness in a world.
///
/// Every use of randomness has a named stream, with numbers if there are many of its kind:
/// `seed.stream("shadowing", 3, 8)`. Streams with different names are independent. A stream does
/// not depend on which others exist or how much they were used, so another device or another kind
/// of randomness does not change any other draw.
package struct WorldSeed: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    package let rawValue: UInt64

    /// Creates the seed of that number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Returns the stream of the name and the numbers, at its beginning.
    package func stream(_ name: StaticString, _ numbers: UInt64...) -> RandomStream {
        var key = SplitMix64.mix(rawValue ^ name.withUTF8Buffer { Self.digest($0) })
        for number in numbers {
            key = SplitMix64.mix(key &+ 0x9E37_79B9_7F4A_7C15) ^ number
        }
        return RandomStream(seed: SplitMix64.mix(key))
    }

    /// Returns the FNV-1a digest of the bytes. It is small, never changes, and is good enough for
    /// names.
    static func digest(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// The number in decimal.
    package var description: String { String(rawValue) }
}

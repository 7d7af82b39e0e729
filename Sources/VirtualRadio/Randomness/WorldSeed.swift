// SPDX-License-Identifier: Apache-2.0

/// The one number from which everything random in a world follows.
///
/// Every purpose asks for a stream by name, and where there are many of its kind by numbers as
/// well: `seed.stream("shadowing", 3, 8)`. The streams of different names have nothing to do with
/// each other, and no stream depends on which others exist or how much they were used. So another
/// device, or another kind of chance, leaves all draws of the rest as they were.
package struct WorldSeed: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    package let rawValue: UInt64

    /// The seed of that number; print it when a test fails.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The stream of the name and the numbers, at its beginning.
    package func stream(_ name: StaticString, _ numbers: UInt64...) -> RandomStream {
        var key = SplitMix64.mix(rawValue ^ name.withUTF8Buffer { Self.digest($0) })
        for number in numbers {
            key = SplitMix64.mix(key &+ 0x9E37_79B9_7F4A_7C15) ^ number
        }
        return RandomStream(seed: SplitMix64.mix(key))
    }

    /// The FNV-1a digest of the octets: small, fixed for ever, and good enough for names.
    static func digest(_ octets: some Sequence<UInt8>) -> UInt64 {
        octets.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// The number, in decimal.
    package var description: String { String(rawValue) }
}

// SPDX-License-Identifier: Apache-2.0

/// A small generator whose seed decides everything that follows, so that a random test that fails
/// fails again (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator; the same seed gives the same numbers.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Random bytes, this many.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Random bytes, at most `limit` of them.
    package mutating func bytes(upTo limit: Int) -> [UInt8] {
        bytes(Int.random(in: 0...limit, using: &self))
    }

    /// True once in `odds` times.
    package mutating func happens(oneIn odds: Int) -> Bool {
        Int.random(in: 0..<odds, using: &self) == 0
    }
}

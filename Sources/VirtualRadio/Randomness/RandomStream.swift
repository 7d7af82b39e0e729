// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A stream of random numbers for one purpose: the generator xoshiro256** (Blackman and Vigna,
/// 2018), whose state SplitMix64 initializes.
///
/// The draws do not use the standard library's `random(in:using:)`. Its consumption of a
/// generator's numbers may change from release to release, and a seed in an old test report must
/// stay valid.
package struct RandomStream: RandomNumberGenerator, Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Creates the stream of the seed.
    package init(seed: UInt64) {
        var filler = SplitMix64(seed: seed)
        state = (filler.next(), filler.next(), filler.next(), filler.next())
    }

    /// Creates a stream with a state. At least one word of the state must not be zero. Tests use it
    /// for the published vectors.
    init(state: (UInt64, UInt64, UInt64, UInt64)) {
        self.state = state
    }

    /// Returns the next 64 random bits.
    package mutating func next() -> UInt64 {
        let result = Self.rotate(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotate(state.3, by: 45)
        return result
    }

    private static func rotate(_ word: UInt64, by count: UInt64) -> UInt64 {
        (word << count) | (word >> (64 - count))
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The SplitMix64 generator (Steele, Lea and Flood, 2014): a counter and a mixing function.
///
/// It is too simple for long sequences, but can seed other generators: adjacent seeds give
/// unrelated numbers.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var counter: UInt64

    /// Creates the sequence of the seed.
    package init(seed: UInt64) {
        counter = seed
    }

    /// Returns the next number of the sequence.
    package mutating func next() -> UInt64 {
        counter &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(counter)
    }

    /// Returns the mixed value: a bijection in which every bit of the input affects every bit of
    /// the output.
    package static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A small generator with a seed, so that a failing random test fails again.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Random bytes, at most `limit` of them.
    mutating func bytes(upTo limit: Int) -> [UInt8] {
        let count = Int.random(in: 0...limit, using: &self)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}

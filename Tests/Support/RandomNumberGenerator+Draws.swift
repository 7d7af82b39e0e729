// SPDX-License-Identifier: Apache-2.0

extension RandomNumberGenerator {
    /// Returns this number of random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Returns random bytes, at most `limit` of them.
    package mutating func bytes(upTo limit: Int) -> [UInt8] {
        bytes(Int.random(in: 0...limit, using: &self))
    }

    /// Returns `true` once in `odds` times, on average.
    package mutating func happens(oneIn odds: Int) -> Bool {
        Int.random(in: 0..<odds, using: &self) == 0
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A wrapper that gives every source of randomness the same type, for generic functions.
struct AnyRandomNumberGenerator: RandomNumberGenerator, Sendable {
    private var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) {
        self.source = source
    }

    mutating func next() -> UInt64 { source.next() }
}

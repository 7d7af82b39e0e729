// SPDX-License-Identifier: Apache-2.0

/// A source of randomness of any kind, as one type: what is generic takes it as it is.
struct Randomness: RandomNumberGenerator, Sendable {
    private var source: any RandomNumberGenerator & Sendable

    init(_ source: any RandomNumberGenerator & Sendable) {
        self.source = source
    }

    mutating func next() -> UInt64 { source.next() }
}

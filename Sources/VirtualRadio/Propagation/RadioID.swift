// SPDX-License-Identifier: Apache-2.0

/// The identity of a radio in its world. It is part of the names of the radio's random streams, so
/// a radio with the same identity has the same random numbers, whatever other radios exist.
package struct RadioID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the radio in its world.
    package let rawValue: UInt64

    /// Creates the identity of the radio with the number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (left: RadioID, right: RadioID) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { "radio \(rawValue)" }
}

/// An unordered pair of radios: the path between them has the same properties in both directions.
package struct RadioPair: Hashable, Sendable {
    /// The radio with the lower number.
    package let lower: RadioID
    /// The radio with the higher number.
    package let higher: RadioID

    /// Creates the pair of two radios.
    package init(_ one: RadioID, _ other: RadioID) {
        lower = min(one, other)
        higher = max(one, other)
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The name of a radio in its world. It is part of the names of the radio's random streams, so a
/// radio that keeps its name keeps its luck, whoever else is there.
package struct RadioID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number by which the world counts it.
    package let rawValue: UInt64

    /// The radio of that number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (left: RadioID, right: RadioID) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { "radio \(rawValue)" }
}

/// Two radios, whichever comes first: what is true of the way there is true of the way back.
package struct RadioPair: Hashable, Sendable {
    /// The one with the lower number.
    package let lower: RadioID
    /// The one with the higher number.
    package let higher: RadioID

    /// The pair of the two.
    package init(_ one: RadioID, _ other: RadioID) {
        lower = min(one, other)
        higher = max(one, other)
    }
}

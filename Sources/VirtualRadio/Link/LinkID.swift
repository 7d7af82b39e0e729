// SPDX-License-Identifier: Apache-2.0

/// The identity of a link in its world, which is never reused.
package struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the link in its world.
    package let rawValue: UInt64

    package static func < (left: LinkID, right: LinkID) -> Bool { left.rawValue < right.rawValue }

    package var description: String { "link \(rawValue)" }
}

/// One of the two ends of a link.
package enum LinkSide: Hashable, Sendable, CaseIterable {
    case central
    case peripheral

    /// The other end.
    package var other: LinkSide { self == .central ? .peripheral : .central }
}

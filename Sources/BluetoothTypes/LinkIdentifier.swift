// SPDX-License-Identifier: Apache-2.0

/// Identifies a link until its adapter is closed. Connection handles are reused, link identifiers are
/// not. A newer link has a greater identifier.
package struct LinkIdentifier: Hashable, Sendable, Comparable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Identifies a request of the application until its adapter is closed.
package struct RequestIdentifier: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The identifier of a manager at its adapter. Unique in the process.
package struct SessionIdentifier: Hashable, Sendable, Comparable {
    private static let last = Atomic<UInt64>(0)

    package let rawValue: UInt64

    /// Returns an identifier that no other manager has.
    package static func next() -> SessionIdentifier {
        SessionIdentifier(rawValue: last.add(1, ordering: .relaxed).newValue)
    }

    package static func < (left: SessionIdentifier, right: SessionIdentifier) -> Bool {
        left.rawValue < right.rawValue
    }
}

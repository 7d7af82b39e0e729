// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The identifier of a manager at its adapter. Unique in the process.
package struct SessionIdentifier: Hashable, Sendable, Comparable {
    private static let last = Lock<UInt64>(0)

    package let rawValue: UInt64

    /// Returns an identifier that no other manager has.
    package static func next() -> SessionIdentifier {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return SessionIdentifier(rawValue: number)
    }

    package static func < (left: SessionIdentifier, right: SessionIdentifier) -> Bool {
        left.rawValue < right.rawValue
    }
}

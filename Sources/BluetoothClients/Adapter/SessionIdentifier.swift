// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The identifier of a manager at its adapter. Unique in the process.
package struct SessionIdentifier: Hashable, Sendable, Comparable {
    private static let counter = ProcessCounter()

    package let rawValue: UInt64

    /// Returns an identifier that no other manager has.
    package static func next() -> SessionIdentifier { SessionIdentifier(rawValue: counter.next()) }

    package static func < (left: SessionIdentifier, right: SessionIdentifier) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The identifier of a connection request. Unique in the process.
///
/// An event of the adapter may arrive after the application canceled the request and made another
/// one. The number identifies the request that the event concerns.
package struct ConnectionRequestNumber: Hashable, Sendable {
    private static let counter = ProcessCounter()

    package let rawValue: UInt64

    /// Returns a number that no other request has.
    package static func next() -> ConnectionRequestNumber {
        ConnectionRequestNumber(rawValue: counter.next())
    }
}

/// A source of numbers that are unique in the process.
private struct ProcessCounter: ~Copyable, Sendable {
    private let last = Lock<UInt64>(0)

    func next() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

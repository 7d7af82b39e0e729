// SPDX-License-Identifier: Apache-2.0

import HCITransports

/// The identifier of a connection request. Unique in the process.
///
/// An event of the adapter may arrive after the application canceled the request and made another
/// one. The number identifies the request that the event concerns.
package struct ConnectionRequestNumber: Hashable, Sendable {
    private static let last = Lock<UInt64>(0)

    package let rawValue: UInt64

    /// Returns a number that no other request has.
    package static func next() -> ConnectionRequestNumber {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return ConnectionRequestNumber(rawValue: number)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells one call of `connect` from every other of this process.
///
/// What the adapter reports arrives later than it happened: by then an application may have let go of a
/// peripheral and asked for it again. The number says which of its wishes is over.
struct WishNumber: Hashable, Sendable {
    private static let last = Atomic<UInt64>(0)

    let rawValue: UInt64

    /// One that no other call has.
    static func next() -> WishNumber {
        WishNumber(rawValue: last.add(1, ordering: .relaxed).newValue)
    }
}

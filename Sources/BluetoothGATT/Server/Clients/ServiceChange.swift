// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The Service Changed indications for one client. At most one is outstanding, and the next one
/// combines all changes in the meantime (Vol 3, Part G, 7.1). A burst of changes therefore requires
/// at most two indications.
struct ServiceChange: Equatable, Sendable {
    /// The channel of the bearer from which a confirmation is outstanding.
    private(set) var awaitedChannel: UInt16?

    /// The range of the outstanding indication.
    private var indicated: ClosedRange<AttributeHandle>?

    /// The range of the next indication.
    private var pending: ClosedRange<AttributeHandle>?

    /// Adds a range of changed attributes.
    mutating func add(_ range: ClosedRange<AttributeHandle>) {
        pending = pending.map { $0.union(range) } ?? range
    }

    /// Discards the next indication, because the client has ended its subscription.
    mutating func forget() {
        pending = nil
    }

    /// Returns the range to indicate now, or `nil` if there is none or an indication is
    /// outstanding.
    mutating func next(on channel: UInt16) -> ClosedRange<AttributeHandle>? {
        guard awaitedChannel == nil, let range = pending else { return nil }
        (awaitedChannel, indicated, pending) = (channel, range, nil)
        return range
    }

    /// Processes a confirmation.
    ///
    /// - Returns: Whether it confirms the outstanding indication and no further change is to be
    ///   indicated.
    mutating func confirmed(on channel: UInt16) -> Bool {
        guard awaitedChannel == channel else { return false }
        (awaitedChannel, indicated) = (nil, nil)
        return pending == nil
    }

    /// Processes the end of a bearer. Its outstanding indication is repeated on another bearer.
    mutating func closed(_ channel: UInt16) {
        guard awaitedChannel == channel, let range = indicated else { return }
        (awaitedChannel, indicated) = (nil, nil)
        add(range)
    }
}

extension ClosedRange<AttributeHandle> {
    /// All valid handles.
    static let all = AttributeHandle.first...AttributeHandle.last

    /// Returns the shortest range that contains both ranges.
    fileprivate func union(_ other: Self) -> Self {
        Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }

    /// The value of Service Changed for this range.
    var serviceChangedValue: [UInt8] { lowerBound.bytes + upperBound.bytes }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The Service Changed indications of one client: one under way at most, and whatever changes in the
/// meantime gathered into the next (Vol 3, Part G, 7.1). So a burst of changes costs two
/// indications, however long it is.
struct ServiceChange: Equatable, Sendable {
    /// The bearer whose confirmation is awaited.
    private(set) var awaitedChannel: UInt16?

    /// What the indication under way says.
    private var indicated: ClosedRange<AttributeHandle>?

    /// What the next one has to say.
    private var pending: ClosedRange<AttributeHandle>?

    /// These attributes are no longer as they were.
    mutating func add(_ range: ClosedRange<AttributeHandle>) {
        pending = pending.map { $0.union(range) } ?? range
    }

    /// The client does not want to know any more.
    mutating func forget() {
        pending = nil
    }

    /// What to indicate now; nil if there is nothing, or one is under way.
    mutating func next(on channel: UInt16) -> ClosedRange<AttributeHandle>? {
        guard awaitedChannel == nil, let range = pending else { return nil }
        (awaitedChannel, indicated, pending) = (channel, range, nil)
        return range
    }

    /// The client has confirmed. True if nothing has changed since it was indicated.
    mutating func confirmed(on channel: UInt16) -> Bool {
        guard awaitedChannel == channel else { return false }
        (awaitedChannel, indicated) = (nil, nil)
        return pending == nil
    }

    /// The bearer is no more; what it was to say is said on another.
    mutating func closed(_ channel: UInt16) {
        guard awaitedChannel == channel, let range = indicated else { return }
        (awaitedChannel, indicated) = (nil, nil)
        add(range)
    }
}

extension ClosedRange<AttributeHandle> {
    /// Every handle that there is.
    static let all = AttributeHandle.first...AttributeHandle.last

    /// The shortest range with both in it.
    fileprivate func union(_ other: Self) -> Self {
        Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }

    /// The value of Service Changed that says so.
    var serviceChangedValue: [UInt8] { lowerBound.octets + upperBound.octets }
}

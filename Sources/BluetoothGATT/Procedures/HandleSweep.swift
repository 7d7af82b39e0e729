// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// A walk through a range of handles, upwards only.
///
/// Each answer of a discovery must lie after all that were given before it, and within the range
/// that was asked for. A server cannot make a discovery endless: every answer that is accepted
/// moves the walk forward by one handle at least.
struct HandleSweep: Sendable {
    /// Where the next request starts; nil when the range is exhausted.
    private(set) var next: AttributeHandle?

    /// Where each request ends.
    let last: AttributeHandle

    /// Starts a walk from `first` to `last`; there is nothing to walk if `first` is the greater.
    init(from first: AttributeHandle = .first, through last: AttributeHandle = .last) {
        next = first <= last ? first : nil
        self.last = last
    }

    /// Moves past an attribute that the server has answered with.
    mutating func pass(_ handle: AttributeHandle) throws(GATT.Failure) {
        try pass(handle, groupEnd: handle)
    }

    /// Moves past a group of attributes that the server has answered with.
    mutating func pass(
        _ handle: AttributeHandle,
        groupEnd: AttributeHandle
    ) throws(GATT.Failure) {
        guard let next, handle >= next else {
            throw .protocolViolation("attribute \(handle) is answered out of order")
        }
        guard handle <= groupEnd else {
            throw .protocolViolation("group \(handle) ends at \(groupEnd), before it begins")
        }
        guard groupEnd <= last else {
            throw .protocolViolation("attribute \(groupEnd) lies beyond \(last)")
        }
        self.next = groupEnd == last ? nil : groupEnd.next
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT

/// The progress of a discovery through a range of handles, in ascending order.
///
/// Each response must contain greater handles than all responses before it, and only handles in the
/// requested range. A server cannot make a discovery endless, because every accepted response
/// advances the sweep by at least one handle.
struct HandleSweep: Sendable {
    /// The first handle of the next request, or nil when the range is exhausted.
    private(set) var next: AttributeHandle?

    /// The last handle of each request.
    let last: AttributeHandle

    /// Creates a sweep from `first` to `last`, which is empty if `first` is greater than `last`.
    init(from first: AttributeHandle = .first, through last: AttributeHandle = .last) {
        next = first <= last ? first : nil
        self.last = last
    }

    /// Advances past an attribute in a response.
    mutating func pass(_ handle: AttributeHandle) throws(GATT.Failure) {
        try pass(handle, groupEnd: handle)
    }

    /// Advances past a group of attributes in a response.
    mutating func pass(
        _ handle: AttributeHandle,
        groupEnd: AttributeHandle
    ) throws(GATT.Failure) {
        guard let next, handle >= next else {
            throw .protocolViolation("attribute \(handle) is out of order")
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

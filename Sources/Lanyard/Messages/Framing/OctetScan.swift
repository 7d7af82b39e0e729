// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds the occurrences of a byte in order, and reads no byte twice.
struct OctetScan {
    private let octet: UInt8
    private let octets: UnsafeRawBufferPointer
    /// The index of the last occurrence found.
    private var found = -1

    init(for octet: UInt8, in octets: UnsafeRawBufferPointer) {
        self.octet = octet
        self.octets = octets
    }

    /// Returns the index of the first occurrence at or after `position`, or the length if there is
    /// none. Positions must not decrease.
    mutating func next(from position: Int) -> Int {
        guard found < position else { return found }
        found = find(from: position)
        return found
    }

    private func find(from position: Int) -> Int {
        guard position < octets.count, let base = octets.baseAddress,
            let place = memchr(base + position, Int32(octet), octets.count - position)
        else { return octets.count }
        return UnsafeRawPointer(place) - base
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Finds the occurrences of an octet, one after the other, and looks at no octet twice.
struct OctetScan {
    private let octet: UInt8
    private let octets: UnsafeRawBufferPointer
    /// The last that was found.
    private var found = -1

    init(for octet: UInt8, in octets: UnsafeRawBufferPointer) {
        self.octet = octet
        self.octets = octets
    }

    /// The first occurrence at `position` or behind it; where the octets end if there is none. Positions
    /// never go back.
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

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A search for the occurrences of a byte in order, which reads no byte twice.
struct ByteScan {
    private let byte: UInt8
    private let bytes: UnsafeRawBufferPointer
    /// The index of the last occurrence found.
    private var found = -1

    init(for byte: UInt8, in bytes: UnsafeRawBufferPointer) {
        self.byte = byte
        self.bytes = bytes
    }

    /// Returns the index of the first occurrence at or after `position`, or the length if there is
    /// none. Positions must not decrease.
    mutating func next(from position: Int) -> Int {
        guard found < position else { return found }
        found = find(from: position)
        return found
    }

    private func find(from position: Int) -> Int {
        guard position < bytes.count, let base = bytes.baseAddress,
            let place = memchr(base + position, Int32(byte), bytes.count - position)
        else { return bytes.count }
        return UnsafeRawPointer(place) - base
    }
}

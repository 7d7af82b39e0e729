// SPDX-License-Identifier: Apache-2.0

/// The counter of the commands that the host signs for one peer (Vol 3, Part H, 2.4.5). No counter
/// may be used twice, even if the host is killed. Counters are therefore reserved in blocks, and a
/// block is in the store before its first counter is used. After a host was killed, the rest of its
/// block is skipped.
struct SignCounter: Equatable, Sendable {
    /// The number of counters that are reserved at once.
    static let blockLength: UInt32 = 256

    /// The next counter.
    var next: UInt32 = 0
    /// The first counter that is not reserved.
    var reserved: UInt32 = 0

    /// Takes the next counter.
    ///
    /// - Returns: The counter, and whether `reserved` must be stored before the counter is used.
    ///   Nil if all counters are used.
    mutating func take() -> (counter: UInt32, isBlockNew: Bool)? {
        guard next < .max else { return nil }
        let isBlockNew = next >= reserved
        if isBlockNew {
            let (end, overflow) = next.addingReportingOverflow(Self.blockLength)
            reserved = overflow ? .max : end
        }
        defer { next += 1 }
        return (next, isBlockNew)
    }

    /// Handles a reservation that could not be stored: the next counter is reserved again.
    mutating func reservationFailed() { reserved = next }
}

// SPDX-License-Identifier: Apache-2.0

/// The stored upper limit of the counter in a peer's signed commands.
///
/// A signed command is executed once, even if the host is killed after it (Vol 3, Part H, 2.4.5).
/// The stored value is therefore never behind the executed commands. While the peer is connected,
/// the value is ahead by at most one block, so that the host does not write to the store for each
/// command. After the host is killed, it refuses the peer's commands until their counter has left
/// the block. The block doubles with each write, so it is short for peers that sign rarely.
struct CounterCeiling: Sendable {
    /// The length of the first block.
    static let firstBlock: UInt32 = 8
    /// The maximum length of a block.
    static let blockLimit: UInt32 = 4_096

    /// The stored limit, or `nil` if the store has the last counter itself.
    private(set) var ceiling: UInt32?
    private var block = firstBlock

    /// Raises the limit if `counter` is above it. Returns whether the new limit must be stored
    /// before the command with this counter is executed.
    mutating func raise(above counter: UInt32) -> Bool {
        if let ceiling, counter <= ceiling { return false }
        let (sum, overflow) = counter.addingReportingOverflow(block)
        ceiling = overflow ? .max : sum
        block = min(2 * block, Self.blockLimit)
        return true
    }

    /// Removes the limit, so that the store gets the last counter, because the peer has
    /// disconnected or another host takes over the record.
    mutating func removeLimit() { ceiling = nil }
}

/// The counter of the commands that the host signs for one peer (Vol 3, Part H, 2.4.5). No counter
/// may be used twice, even if the host is killed. Counters are therefore reserved in blocks, and a
/// block is in the store before its first counter is used. After the host is killed, it skips the
/// rest of the block.
struct SignCounter: Equatable, Sendable {
    /// The number of counters that are reserved at once.
    static let blockLength: UInt32 = 256

    /// The counter of a key whose counters are all used.
    static let exhausted = SignCounter(next: .max, reserved: .max)

    var next: UInt32 = 0
    /// The first counter that is not reserved.
    var reserved: UInt32 = 0

    /// Takes the next counter.
    ///
    /// - Returns: The counter, and whether `reserved` must be stored before the counter is used;
    ///   `nil` if all counters are used.
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

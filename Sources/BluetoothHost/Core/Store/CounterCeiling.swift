// SPDX-License-Identifier: Apache-2.0

/// How far the counter of commands that a peer has signed may have come, as the store has it.
///
/// A command that was signed counts once, even if the host is killed after it (Vol 3, Part H, 2.4.5).
/// So the store is always ahead of the commands. It is so by a block: a peer that signs many must not
/// make the host write as often. What the peer signs after a host was killed is refused as long as it
/// is in that block; the block is as long as what the peer has signed before, so that it is short
/// for those who sign rarely.
struct CounterCeiling: Sendable {
    /// The first block.
    static let firstBlock: UInt32 = 8
    /// The longest.
    static let blockLimit: UInt32 = 4_096

    /// What the store has; nil if it has the last counter itself.
    private(set) var ceiling: UInt32?
    private var block = firstBlock

    /// Whether the store has to be written before a command with this counter is carried out, with
    /// the ceiling that there is from now on.
    mutating func rise(above counter: UInt32) -> Bool {
        if let ceiling, counter <= ceiling { return false }
        let (sum, overflow) = counter.addingReportingOverflow(block)
        ceiling = overflow ? .max : sum
        block = min(2 * block, Self.blockLimit)
        return true
    }

    /// The peer has gone: the store is to have the last counter.
    mutating func settle() { ceiling = nil }
}

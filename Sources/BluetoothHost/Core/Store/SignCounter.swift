// SPDX-License-Identifier: Apache-2.0

/// The counter of the commands that are signed for one peer (Vol 3, Part H, 2.4.5). None may be used
/// twice, whatever becomes of the host: so counters are reserved in blocks, and a block is in the
/// store before its first is used. A host that is killed leaves out the rest of the block.
struct SignCounter: Equatable, Sendable {
    /// How many counters are reserved at once.
    static let blockLength: UInt32 = 256

    /// The next to be used.
    var next: UInt32 = 0
    /// The first that is not reserved.
    var reserved: UInt32 = 0

    /// Takes the next counter; nil once all of them are used. `isBlockNew` says that `reserved` has to
    /// be in the store first.
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

    /// What was reserved could not be stored: the next to be used reserves anew.
    mutating func reservationFailed() { reserved = next }
}

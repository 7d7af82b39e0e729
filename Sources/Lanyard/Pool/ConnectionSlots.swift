// SPDX-License-Identifier: Apache-2.0

/// How many links there may be at a time.
public enum ConnectionLimit: Hashable, Sendable {
    /// As many as the system makes: it is learned from its refusals, and tried again after a while.
    case learned
    /// At most so many.
    case fixed(Int)
}

/// Who has links, and who waits for one.
public struct ConnectionSlots: Hashable, Sendable {
    /// How many links there may be; nil if that is not known, because there were never too many.
    public var limit: Int?
    /// Who has one, in the order in which they got it.
    public var holders: [ConnectionHolder]
    /// Who waits, the next one first.
    public var waiting: [ConnectionRequest]
}

/// All connection slots are taken.
public struct OutOfConnectionSlots: Error, Hashable, Sendable {
    /// How many there are.
    public var limit: Int
    /// Who has them.
    public var holders: [ConnectionHolder]
    /// Whether the end of one of these links makes room for the one who is told.
    public var isMakingRoom = false
}

extension OutOfConnectionSlots: CustomStringConvertible {
    /// Says who holds them.
    public var description: String {
        let names = holders.map(\.identity.description).joined(separator: ", ")
        return "all \(limit) connection slots are taken: \(names.isEmpty ? "by others" : names)"
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The limit on simultaneous links.
public enum ConnectionLimit: Hashable, Sendable {
    /// The number that the system supports. The library learns it from refusals, and tests it again
    /// after a while.
    case learned
    /// A fixed maximum.
    case fixed(Int)
}

/// A snapshot of the connection slots and of the accessories that wait for one.
///
/// A controller supports a limited number of links. A *connection slot* is the right of one
/// accessory to have a link: the library reserves it before a connection attempt, and releases it
/// when the attempt has failed or the link has ended.
public struct ConnectionSlots: Hashable, Sendable {
    /// The limit; `nil` if it is unknown because no link was ever refused.
    public var limit: Int?
    /// The accessories that hold a slot, in the order in which they got it.
    public var holders: [ConnectionHolder]
    /// The accessories that wait, next one first.
    public var waiting: [ConnectionRequest]
}

/// The error that all connection slots are in use.
public struct OutOfConnectionSlots: Error, Hashable, Sendable {
    /// The number of slots.
    public var limit: Int
    /// The accessories that hold them.
    public var holders: [ConnectionHolder]
    /// Whether the waiting accessory will get one of these slots. Either a link is being ended for
    /// it, or the library will end one when a search finds the accessory.
    public var isMakingRoom = false
}

extension OutOfConnectionSlots: CustomStringConvertible {
    /// A text that names the holders, for example for a log.
    public var description: String {
        let names = holders.compactMap(\.name)
        let others = holders.count - names.count
        let list = names + (others > 0 ? ["\(others) \(others == 1 ? "other" : "others")"] : [])
        let holders = list.isEmpty ? "by others" : list.joined(separator: ", ")
        return "all \(limit) connection slots are taken: \(holders)"
    }
}

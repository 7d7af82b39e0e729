// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// What an application has asked of a link that is not encrypted yet, in the order of the calls.
struct HeldRequests: Sendable {
    enum Wish: Sendable {
        case request(LinkRequest)
        case channels(ChannelWish)
        case bearers(Int)
    }

    /// How many wait; one more is refused.
    static let limit = 64

    private var all: [(wish: Wish, id: RequestIdentifier, deadline: Instant)] = []

    /// Each waits as long as the others: the oldest is the next.
    var nextDeadline: Instant? { all.first?.deadline }

    var ids: [RequestIdentifier] { all.map(\.id) }

    /// False if there is no room.
    mutating func add(_ wish: Wish, _ id: RequestIdentifier, until deadline: Instant) -> Bool {
        guard all.count < Self.limit else { return false }
        all.append((wish, id, deadline))
        return true
    }

    mutating func remove(_ id: RequestIdentifier) {
        all.removeAll { $0.id == id }
    }

    mutating func removeAll() -> [(Wish, RequestIdentifier)] {
        defer { all = [] }
        return all.map { ($0.wish, $0.id) }
    }

    /// Those who have waited too long, and wait no more.
    mutating func expired(now: Instant) -> [RequestIdentifier] {
        let late = all.prefix { $0.deadline <= now }.map(\.id)
        all.removeFirst(late.count)
        return late
    }
}

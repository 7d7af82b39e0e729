// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The requests of an application on a link that is not encrypted yet, in the order of the calls.
struct HeldRequests: Sendable {
    /// The maximum number of waiting requests. Further requests are refused.
    static let limit = 64

    private var all: [(request: DeferredRequest, id: RequestIdentifier, deadline: Instant)] = []

    /// The deadline of the oldest request. All requests have the same timeout, so it is the
    /// earliest.
    var nextDeadline: Instant? { all.first?.deadline }

    var ids: [RequestIdentifier] { all.map(\.id) }

    /// Adds a request. Returns `false` if `limit` requests already wait.
    mutating func add(
        _ request: DeferredRequest,
        _ id: RequestIdentifier,
        until deadline: Instant
    ) -> Bool {
        guard all.count < Self.limit else { return false }
        all.append((request, id, deadline))
        return true
    }

    mutating func remove(_ id: RequestIdentifier) {
        all.removeAll { $0.id == id }
    }

    mutating func removeAll() -> [(DeferredRequest, RequestIdentifier)] {
        defer { all = [] }
        return all.map { ($0.request, $0.id) }
    }

    /// Removes and returns the requests whose deadlines have passed.
    mutating func expired(now: Instant) -> [RequestIdentifier] {
        let late = all.prefix { $0.deadline <= now }.map(\.id)
        all.removeFirst(late.count)
        return late
    }
}

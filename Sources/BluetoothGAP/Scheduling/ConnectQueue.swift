// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The connection requests in the order of their turns.
///
/// A request goes to the back after its turn, so every request comes to the front after at most as
/// many turns as there are requests.
struct ConnectQueue: Sendable {
    struct Request: Sendable {
        let id: CentralScheduler.RequestID
        let address: DeviceAddress
        /// Whether the request stays in the queue after a transient failure.
        let isPending: Bool
        let parameters: ConnectParameters
        var isCancelled = false
        /// Whether the controller has initiated for the request.
        var wasInitiated = false
        /// The number of failures in a row.
        var failureCount = 0
        /// The time at which the back-off after a failure ends.
        var backoffEnd: Instant?

        var isEligible: Bool { !isCancelled && backoffEnd == nil }
    }

    /// The requests for which the controller initiates at the same time.
    struct Turn: Sendable, Equatable {
        let members: [CentralScheduler.RequestID]
        /// The addresses of the devices, each once.
        let addresses: [DeviceAddress]
        let parameters: ConnectParameters

        /// The target of the initiation. A single device needs no Filter Accept List, and some
        /// controllers accept the commands for the list but ignore it.
        var target: InitiationTarget {
            if addresses.count == 1, let peer = addresses.first { .peer(peer) } else { .acceptList }
        }
    }

    private(set) var requests: [Request] = []

    var hasEligible: Bool { requests.contains(where: \.isEligible) }

    /// The time at which the first back-off of a request ends.
    var nextBackoffEnd: Instant? { requests.compactMap(\.backoffEnd).min() }

    func contains(_ id: CentralScheduler.RequestID) -> Bool {
        requests.contains { $0.id == id }
    }

    /// Returns whether a request outside of the turn waits.
    func isContended(beside turn: Turn) -> Bool {
        let members = Set(turn.members)
        return requests.contains { $0.isEligible && !members.contains($0.id) }
    }

    /// Returns whether a request of the turn was canceled.
    func hasWithdrawn(from turn: Turn) -> Bool {
        let waiting = Set(requests.lazy.filter { !$0.isCancelled }.map(\.id))
        return !waiting.isSuperset(of: turn.members)
    }

    /// Returns the next turn, with the request at the front. If that request is pending, other
    /// pending requests with the same parameters join it, as far as the Filter Accept List has
    /// room.
    func nextTurn(capacity: Int) -> Turn? {
        guard let front = requests.first(where: \.isEligible) else { return nil }
        var members: [CentralScheduler.RequestID] = []
        var addresses: [DeviceAddress] = []
        var known: Set<DeviceAddress> = []
        for request in requests where front.shares(with: request) {
            if !known.contains(request.address) {
                guard addresses.count < max(1, capacity) else { continue }
                addresses.append(request.address)
                known.insert(request.address)
            }
            members.append(request.id)
        }
        return Turn(members: members, addresses: addresses, parameters: front.parameters)
    }

    mutating func append(_ request: Request) {
        requests.append(request)
    }

    mutating func remove(
        where condition: (Request) -> Bool
    ) -> [CentralScheduler.RequestID] {
        let removed = requests.filter(condition).map(\.id)
        requests.removeAll(where: condition)
        return removed
    }

    mutating func update(
        _ ids: some Sequence<CentralScheduler.RequestID>,
        _ change: (inout Request) -> Void
    ) {
        let chosen = Set(ids)
        for index in requests.indices where chosen.contains(requests[index].id) {
            change(&requests[index])
        }
    }

    /// Moves the requests of a turn to the back.
    mutating func rotate(_ turn: Turn) {
        let members = Set(turn.members)
        let back = requests.filter { members.contains($0.id) }
        requests.removeAll { members.contains($0.id) }
        requests += back
    }

    /// Ends the back-offs that are over, or all of them if `now` is `nil`.
    mutating func endBackoffs(now: Instant?) {
        for index in requests.indices {
            guard let end = requests[index].backoffEnd else { continue }
            if let now, now < end { continue }
            requests[index].backoffEnd = nil
        }
    }
}

extension ConnectQueue.Request {
    /// Returns whether one initiation can serve both requests. A command has one set of parameters.
    fileprivate func shares(with other: Self) -> Bool {
        id == other.id
            || isPending && other.isPending && other.isEligible && parameters == other.parameters
    }
}

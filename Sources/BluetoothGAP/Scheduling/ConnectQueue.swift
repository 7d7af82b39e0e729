// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The connections that callers want, in the order in which they get their turns.
///
/// Whoever had a turn goes to the back, so everybody in the queue comes to the front after at most
/// as many turns as there are requests.
struct ConnectQueue: Sendable {
    struct Request: Sendable {
        let id: CentralScheduler.RequestID
        let address: DeviceAddress
        /// Whether the request stands until it is fulfilled or withdrawn, whatever goes wrong.
        let isStanding: Bool
        let parameters: ConnectParameters
        var isCancelled = false
        /// Failures in a row.
        var failureCount = 0
        /// Until when it keeps out of the way after a failure.
        var restsUntil: Instant?

        var isEligible: Bool { !isCancelled && restsUntil == nil }
    }

    /// Those for whom the controller initiates at the same time.
    struct Turn: Sendable, Equatable {
        let members: [CentralScheduler.RequestID]
        /// Their addresses, each once.
        let addresses: [DeviceAddress]
        let parameters: ConnectParameters

        /// One device is dialled by its address, so that the Filter Accept List is needed only
        /// where it pays (some controllers accept the list's commands and then ignore the list).
        var target: InitiationTarget {
            if addresses.count == 1, let peer = addresses.first { .peer(peer) } else { .acceptList }
        }
    }

    private(set) var requests: [Request] = []

    var hasEligible: Bool { requests.contains(where: \.isEligible) }

    /// When the first resting request is to be tried again.
    var nextAwakening: Instant? { requests.compactMap(\.restsUntil).min() }

    func contains(_ id: CentralScheduler.RequestID) -> Bool {
        requests.contains { $0.id == id }
    }

    /// Whether somebody who is not in the turn waits for one.
    func isContended(beside turn: Turn) -> Bool {
        requests.contains { $0.isEligible && !turn.members.contains($0.id) }
    }

    /// Whether a member of the turn was withdrawn.
    func hasWithdrawn(from turn: Turn) -> Bool {
        turn.members.contains { id in !requests.contains { $0.id == id && !$0.isCancelled } }
    }

    /// The next turn: that of the front request; a standing one takes others like it along, as far
    /// as the Filter Accept List has room.
    func nextTurn(capacity: Int) -> Turn? {
        guard let front = requests.first(where: \.isEligible) else { return nil }
        var members: [CentralScheduler.RequestID] = []
        var addresses: [DeviceAddress] = []
        for request in requests where front.shares(with: request) {
            if !addresses.contains(request.address) {
                guard addresses.count < max(1, capacity) else { continue }
                addresses.append(request.address)
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

    /// Sends the members of a turn to the back.
    mutating func rotate(_ turn: Turn) {
        let members = Set(turn.members)
        let back = requests.filter { members.contains($0.id) }
        requests.removeAll { members.contains($0.id) }
        requests += back
    }

    /// Lets those try again who have rested long enough; all of them if `now` is nil.
    mutating func wake(now: Instant?) {
        for index in requests.indices {
            guard let end = requests[index].restsUntil else { continue }
            if let now, now < end { continue }
            requests[index].restsUntil = nil
        }
    }
}

extension ConnectQueue.Request {
    /// Whether the two can be initiated at the same time: one command has one set of parameters.
    fileprivate func shares(with other: Self) -> Bool {
        id == other.id
            || isStanding && other.isStanding && other.isEligible && parameters == other.parameters
    }
}

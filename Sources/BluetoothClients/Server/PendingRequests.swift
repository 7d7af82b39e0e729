// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The requests of centrals that managers have not answered.
///
/// The writes of one request are a unit: if they concern values of several managers, all of them
/// have to agree.
struct PendingRequests: Sendable {
    /// The maximum number of requests on one link. A bearer has one request at a time, but the
    /// requests that the host timed out remain in the list until newer requests replace them.
    static let limitPerLink = 64

    /// The result of an answer.
    enum Verdict: Equatable, Sendable {
        /// The adapter passes the answer to the host.
        case settled
        /// Other managers still have to agree.
        case open
        /// There is no such request, or it was already answered.
        case unknown
    }

    private struct Question: Sendable {
        let link: LinkIdentifier
        var unanswered: Set<SessionIdentifier>
    }

    private var questions: [GATTServer.RequestID: Question] = [:]

    var count: Int { questions.count }

    mutating func ask(
        _ id: GATTServer.RequestID,
        _ sessions: Set<SessionIdentifier>,
        on link: LinkIdentifier
    ) {
        let earlier = questions.filter { $0.value.link == link }.keys.sorted()
        for id in earlier.dropLast(Self.limitPerLink - 1) { questions[id] = nil }
        questions[id] = Question(link: link, unanswered: sessions)
    }

    mutating func answer(
        _ id: GATTServer.RequestID,
        by session: SessionIdentifier,
        agrees: Bool
    ) -> Verdict {
        guard questions[id]?.unanswered.remove(session) != nil else { return .unknown }
        guard !agrees || questions[id]?.unanswered.isEmpty == true else { return .open }
        questions[id] = nil
        return .settled
    }

    mutating func linkClosed(_ link: LinkIdentifier) {
        questions = questions.filter { $0.value.link != link }
    }

    /// Removes a manager that can no longer answer. Returns the requests that it has not answered.
    mutating func leave(_ session: SessionIdentifier) -> [GATTServer.RequestID] {
        let open = questions.filter { $0.value.unanswered.contains(session) }.keys.sorted()
        for id in open { questions[id] = nil }
        return open
    }
}

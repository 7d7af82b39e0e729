// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothHost

/// Which managers owe centrals an answer.
///
/// The writes of one request are a unit: if they are for values of several managers, all have to agree.
struct QuestionBook: Sendable {
    /// How many questions of one link are kept. A bearer asks one at a time, and those that nobody
    /// answers the host closes by itself; they stay here until more have been asked.
    static let limitPerLink = 64

    /// What an answer leads to.
    enum Verdict: Equatable, Sendable {
        /// The host is to be told.
        case settled
        /// Others have to agree.
        case open
        /// Nobody has asked, or it was answered.
        case unknown
    }

    private struct Question: Sendable {
        let link: LinkIdentifier
        var owing: Set<SessionIdentifier>
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
        questions[id] = Question(link: link, owing: sessions)
    }

    mutating func answer(
        _ id: GATTServer.RequestID,
        by session: SessionIdentifier,
        agrees: Bool
    ) -> Verdict {
        guard questions[id]?.owing.remove(session) != nil else { return .unknown }
        guard !agrees || questions[id]?.owing.isEmpty == true else { return .open }
        questions[id] = nil
        return .settled
    }

    mutating func linkClosed(_ link: LinkIdentifier) {
        questions = questions.filter { $0.value.link != link }
    }

    /// A manager is gone, or can answer no more. Returns what nobody will answer now.
    mutating func leave(_ session: SessionIdentifier) -> [GATTServer.RequestID] {
        let open = questions.filter { $0.value.owing.contains(session) }.keys.sorted()
        for id in open { questions[id] = nil }
        return open
    }
}

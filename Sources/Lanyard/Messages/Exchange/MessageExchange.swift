// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What one side of a channel has to say, and what it waits for.
///
/// A value without link and clock. Messages and requests wait in one line, in the order in which they
/// came; a request leaves it as long as not too many are unanswered already. Answers to the other side
/// go first, so that two sides that wait for each other do not wait for ever.
package struct MessageExchange {
    /// Who wants something: the number of a call of the application's.
    package typealias Ticket = Int

    /// What is to be sent next.
    package struct Outgoing: Hashable {
        /// Whose it is; nil for an answer.
        package let ticket: Ticket?
        /// What it is.
        package let envelope: MessageEnvelope
    }

    private struct Wish {
        let ticket: Ticket
        let body: Data
        /// Until when an answer has to be there; nil for a message that wants none.
        let deadline: Duration?
    }

    private struct Question {
        let ticket: Ticket
        let deadline: Duration
    }

    /// How many answers wait at most to be sent.
    package static let answerLimit = 256

    private let limits: MessageLimits
    private var line = WaitingLine<Wish>()
    private var answers = WaitingLine<MessageEnvelope>()
    /// The requests that were sent and have no answer, by their numbers.
    private var questions: [Int: Question] = [:]
    private var nextID: Int
    /// When `deadlinePassed` wants to be called: then, or somewhat before.
    package private(set) var nextDeadline: Duration?

    /// One that has said nothing yet, and numbers its requests from `firstID` on.
    package init(limits: MessageLimits, firstID: Int = 1) {
        self.limits = limits
        nextID = firstID
    }

    /// The wishes that wait in line.
    package var waitingCount: Int { line.count }
    /// Whose they are.
    package var waiting: Set<Ticket> { Set(line.elements.map(\.ticket)) }
    /// The requests without an answer.
    package var questionCount: Int { questions.count }
    /// Whose requests have no answer, the oldest first.
    package var unanswered: [(id: Int, ticket: Ticket)] {
        questions.sorted { $0.key < $1.key }.map { ($0.key, $0.value.ticket) }
    }

    // MARK: Wishes

    /// A message that wants no answer.
    package mutating func tell(_ body: Data, for ticket: Ticket) throws(MessageError) {
        try enter(Wish(ticket: ticket, body: body, deadline: nil))
    }

    /// A request, which is given up at `deadline`.
    package mutating func ask(
        _ body: Data,
        for ticket: Ticket,
        until deadline: Duration
    ) throws(MessageError) {
        try enter(Wish(ticket: ticket, body: body, deadline: deadline))
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// An answer, or a refusal. Beyond the limit it is dropped, and the other side waits in vain: it has
    /// asked without taking answers.
    package mutating func reply(_ envelope: MessageEnvelope) {
        guard answers.count < Self.answerLimit else { return }
        answers.append(envelope)
    }

    private mutating func enter(_ wish: Wish) throws(MessageError) {
        guard line.count < limits.waiting else { throw .queueFull }
        line.append(wish)
    }

    /// Forgets a wish, wherever it is. What is being sent is sent nevertheless, and its answer comes
    /// too late.
    package mutating func withdraw(_ ticket: Ticket) {
        line.removeAll { $0.ticket == ticket }
        for (id, question) in questions where question.ticket == ticket { questions[id] = nil }
    }

    // MARK: Sending

    /// Takes what is to be sent next; nil if there is nothing, or nothing may be.
    package mutating func next() -> Outgoing? {
        if let answer = answers.popFirst() { return Outgoing(ticket: nil, envelope: answer) }
        guard let wish = line.first else { return nil }
        guard let deadline = wish.deadline else {
            _ = line.popFirst()
            return Outgoing(ticket: wish.ticket, envelope: .tell(wish.body))
        }
        guard questions.count < max(limits.requestsAtOnce, 1) else { return nil }
        _ = line.popFirst()
        defer { nextID += 1 }
        questions[nextID] = Question(ticket: wish.ticket, deadline: deadline)
        return Outgoing(ticket: wish.ticket, envelope: .ask(id: nextID, wish.body))
    }

    // MARK: What happens

    /// The other side has answered: whose request that was; nil if nobody waits for it any more.
    package mutating func answered(_ id: Int) -> Ticket? {
        questions.removeValue(forKey: id)?.ticket
    }

    /// Whose time is over, in the order in which they came.
    package mutating func deadlinePassed(now: Duration) -> [Ticket] {
        let asked = questions.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        for (id, _) in asked { questions[id] = nil }
        let waiting = line.removeAll { $0.deadline.map { $0 <= now } ?? false }
        let left = questions.values.map(\.deadline) + line.elements.compactMap(\.deadline)
        nextDeadline = left.min()
        return asked.map(\.value.ticket) + waiting.map(\.ticket)
    }

    /// The link is gone: whose wishes go with it, in the order in which they came. Answers of the other
    /// side that come over another link are of no use.
    ///
    /// - Parameter keepsLine: whether those that wait in line may go on waiting.
    package mutating func linkLost(keepsLine: Bool = false) -> [Ticket] {
        let asked = unanswered.map(\.ticket)
        (answers, questions) = (WaitingLine(), [:])
        guard !keepsLine else {
            nextDeadline = line.elements.compactMap(\.deadline).min()
            return asked
        }
        let waiting = line.elements.map(\.ticket)
        (line, nextDeadline) = (WaitingLine(), nil)
        return asked + waiting
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The outgoing messages and the unanswered requests of one side of a channel.
///
/// Messages and requests wait in one queue, in the order of the calls. A request leaves the queue
/// when fewer than `MessageLimits.requestsAtOnce` requests are unanswered. Answers to the other
/// side precede the queue, so that two waiting sides cannot block each other.
package struct MessageExchange {
    /// The number of a call of the app.
    package typealias Ticket = Int

    /// The next envelope to send.
    package struct Outgoing: Hashable {
        /// The call to which the envelope belongs; `nil` for an answer.
        package let ticket: Ticket?
        /// The envelope.
        package let envelope: MessageEnvelope
    }

    private struct QueuedMessage {
        let ticket: Ticket
        let body: Data
        /// The time limit of the answer; `nil` for a message that expects none.
        let deadline: Duration?
    }

    private struct PendingRequest {
        let ticket: Ticket
        let deadline: Duration
    }

    /// The maximum number of answers that wait to be sent.
    package static let answerLimit = 256

    private let limits: MessageLimits
    private var queue = FIFOQueue<QueuedMessage>()
    private var answers = FIFOQueue<MessageEnvelope>()
    /// The sent requests without an answer, by their numbers.
    private var pendingRequests: [Int: PendingRequest] = [:]
    private var nextID: Int
    /// The time at which to call `deadlinePassed`. This is the earliest deadline of a call, or an
    /// earlier time if a call with an earlier deadline has ended.
    package private(set) var nextDeadline: Duration?

    /// Creates an exchange that numbers its requests from `firstID`.
    package init(limits: MessageLimits, firstID: Int = 1) {
        self.limits = limits
        nextID = firstID
    }

    /// The number of messages and requests in the queue.
    package var waitingCount: Int { queue.count }
    /// The calls in the queue.
    package var waiting: Set<Ticket> { Set(queue.elements.map(\.ticket)) }
    /// The number of requests without an answer.
    package var pendingRequestCount: Int { pendingRequests.count }
    /// The calls whose requests have no answer, oldest first.
    package var unanswered: [(id: Int, ticket: Ticket)] {
        pendingRequests.sorted { $0.key < $1.key }.map { ($0.key, $0.value.ticket) }
    }

    // MARK: Calls

    /// Adds a message that expects no answer.
    package mutating func tell(_ body: Data, for ticket: Ticket) throws(MessageError) {
        try enqueue(QueuedMessage(ticket: ticket, body: body, deadline: nil))
    }

    /// Adds a request, which fails at `deadline`.
    package mutating func ask(
        _ body: Data,
        for ticket: Ticket,
        until deadline: Duration
    ) throws(MessageError) {
        try enqueue(QueuedMessage(ticket: ticket, body: body, deadline: deadline))
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Adds an answer or a refusal. Beyond the limit, the answer is dropped. The limit is reached
    /// if the other side sends requests faster than it receives the answers.
    package mutating func reply(_ envelope: MessageEnvelope) {
        guard answers.count < Self.answerLimit else { return }
        answers.append(envelope)
    }

    private mutating func enqueue(_ message: QueuedMessage) throws(MessageError) {
        guard queue.count < limits.waiting else { throw .queueFull }
        queue.append(message)
    }

    /// Removes a call. If its message is already being sent, the transmission continues, and a
    /// later answer is ignored.
    package mutating func withdraw(_ ticket: Ticket) {
        queue.removeAll { $0.ticket == ticket }
        for (id, request) in pendingRequests where request.ticket == ticket {
            pendingRequests[id] = nil
        }
    }

    // MARK: Sending

    /// Takes the next envelope to send; `nil` if there is none or too many requests are unanswered.
    package mutating func next() -> Outgoing? {
        if let answer = answers.popFirst() { return Outgoing(ticket: nil, envelope: answer) }
        guard let message = queue.first else { return nil }
        guard let deadline = message.deadline else {
            _ = queue.popFirst()
            return Outgoing(ticket: message.ticket, envelope: .tell(message.body))
        }
        guard pendingRequests.count < max(limits.requestsAtOnce, 1) else { return nil }
        _ = queue.popFirst()
        defer { nextID += 1 }
        pendingRequests[nextID] = PendingRequest(ticket: message.ticket, deadline: deadline)
        return Outgoing(ticket: message.ticket, envelope: .ask(id: nextID, message.body))
    }

    // MARK: Events

    /// Handles an answer. Returns the call of the request; `nil` if none waits for it.
    package mutating func answered(_ id: Int) -> Ticket? {
        pendingRequests.removeValue(forKey: id)?.ticket
    }

    /// Removes the calls whose time limit has passed, and returns them in the order of their
    /// requests.
    package mutating func deadlinePassed(now: Duration) -> [Ticket] {
        let requests = pendingRequests.filter { $0.value.deadline <= now }.sorted {
            $0.key < $1.key
        }
        for (id, _) in requests { pendingRequests[id] = nil }
        let waiting = queue.removeAll { $0.deadline.map { $0 <= now } ?? false }
        let left = pendingRequests.values.map(\.deadline) + queue.elements.compactMap(\.deadline)
        nextDeadline = left.min()
        return requests.map(\.value.ticket) + waiting.map(\.ticket)
    }

    /// Handles the end of the link. Answers that arrive on another link are ignored.
    ///
    /// - Parameter keepsQueue: Whether calls in the queue wait for the next link.
    /// - Returns: The calls that fail, in the order of their requests.
    package mutating func linkLost(keepsQueue: Bool = false) -> [Ticket] {
        let requests = unanswered.map(\.ticket)
        (answers, pendingRequests) = (FIFOQueue(), [:])
        guard !keepsQueue else {
            nextDeadline = queue.elements.compactMap(\.deadline).min()
            return requests
        }
        let waiting = queue.elements.map(\.ticket)
        (queue, nextDeadline) = (FIFOQueue(), nil)
        return requests + waiting
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

// Received messages and their recipients.
extension MessageEngine {
    func take(_ arrival: MessageWire.Arrival) {
        switch arrival {
        case .report(let event): report(event)
        case .reply(let bytes): sendUrgently(bytes)
        case .message(let message):
            change { $0.statistics.received += 1 }
            switch options.form {
            case .plain: takePlain(message)
            case .enveloped: takeEnveloped(message)
            }
        }
    }

    private func takeEnveloped(_ message: Data) {
        switch MessageEnvelope(message) {
        case .tell(let body): deliver(body)
        case .ask(let id, let body): serve(id, body)
        case .answer(let id, let body): answered(id, .success(body))
        case .refuse(let id, let reason):
            let quoted = reason.quotation(limit: options.limits.quotation)
            answered(id, .failure(.remoteError(quoted)))
        case nil: report(.undecodable(text: quotation(of: message)))
        }
    }

    private func answered(_ id: Int, _ result: Result<Data, MessageError>) {
        guard let ticket = exchange.answered(id) else { return report(.unexpectedAnswer(id: id)) }
        finish(ticket, result)
    }

    /// Handles a message without an envelope. The oldest request that accepts the message gets it
    /// as the answer. If there is none, the first service that can decode the message answers it.
    /// If there is none either, the message goes to the readers.
    private func takePlain(_ message: Data) {
        let answered = exchange.unanswered.first { calls[$0.ticket]?.accepts?(message) ?? false }
        if let answered {
            _ = exchange.answered(answered.id)
            finish(answered.ticket, .success(message))
        } else if !services.isEmpty, serve(0, message, orElse: {}) {
            return
        } else {
            deliver(message)
        }
    }

    // MARK: Readers

    func add(_ reader: MessageReader) {
        guard !hasEnded else { return reader.end() }
        readers.append(reader)
        unread.removeAll { reader.take($0) != .refused }
    }

    func removeReader(_ number: Int) {
        readers.removeAll { $0.number == number }
    }

    /// Passes a message to all readers that can decode it. Without any reader the message waits.
    private func deliver(_ body: Data) {
        guard !readers.isEmpty else { return keep(body) }
        let outcomes = readers.map { $0.take(body) }
        if outcomes.contains(.takenDroppingOldest) { report(.unread) }
        guard outcomes.allSatisfy({ $0 == .refused }) else { return }
        report(.undecodable(text: quotation(of: body)))
    }

    private func keep(_ body: Data) {
        unread.append(body)
        guard unread.count > options.limits.unread else { return }
        _ = unread.popFirst()
        report(.unread)
    }

    func quotation(of message: Data) -> String {
        message.quotation(limit: options.limits.quotation)
    }
}

extension Data {
    /// Returns the beginning of the data as text, with replacement characters for invalid UTF-8.
    func quotation(limit: Int) -> String {
        String(decoding: prefix(Swift.max(limit, 0)), as: UTF8.self)
    }
}

extension String {
    /// Returns the beginning of the text: as many whole Unicode scalars as fit into a number of
    /// bytes in UTF-8. One character can consist of any number of scalars.
    func quotation(limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var (scalars, count) = (UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= limit else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}

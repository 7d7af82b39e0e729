// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// When the peer will have kept us waiting too long, for a response or a confirmation; nil if
    /// we wait for neither.
    package var nextDeadline: Instant? {
        guard !isClosed else { return nil }
        guard let response = outstanding?.deadline else { return unconfirmed?.deadline }
        return unconfirmed.map { min($0.deadline, response) } ?? response
    }

    /// Tells that it is `now`. If the outstanding request has had no answer for thirty seconds, or
    /// the indication no confirmation, the bearer closes for good, as the specification demands
    /// (Vol 3, Part F, 3.3.3): who owns it ends the link. Returns what `close` returns; nothing if
    /// there was still time.
    package mutating func deadlinePassed(now: Instant) -> [RequestID] {
        guard let nextDeadline, now >= nextDeadline else { return [] }
        return close()
    }

    /// Closes the bearer for good, since the link has ended or is about to. Returns all that will
    /// not be answered, confirmed or sent any more: what has left already, then requests and
    /// commands in the order in which they came, notifications and indications in theirs.
    package mutating func close() -> [RequestID] {
        isClosed = true
        owesConfirmation = false
        openRequest = nil
        reply = nil
        let unanswered = outstanding.flatMap { $0.isCancelled ? nil : $0.id }
        let left = [unanswered, unconfirmed?.id].compactMap { $0 }
        outstanding = nil
        unconfirmed = nil
        return left + queue.removeAll() + notifications.removeAll() + indications.removeAll()
    }
}

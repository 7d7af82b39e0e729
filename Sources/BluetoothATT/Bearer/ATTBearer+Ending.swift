// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// When the outstanding request will have waited too long; nil if none is outstanding.
    package var nextDeadline: Instant? { isClosed ? nil : outstanding?.deadline }

    /// Tells that it is `now`. If the outstanding request has had no answer for thirty seconds, the
    /// bearer closes for good, as the specification demands (Vol 3, Part F, 3.3.3): who owns it
    /// ends the link. Returns all requests and commands that have failed for it, the one that
    /// timed out first; nothing if there was still time.
    package mutating func deadlinePassed(now: Instant) -> [RequestID] {
        guard let nextDeadline, now >= nextDeadline else { return [] }
        return close()
    }

    /// Closes the bearer for good, since the link has ended or is about to. Returns the requests
    /// and commands that will not be answered or sent any more, in the order in which they came.
    package mutating func close() -> [RequestID] {
        isClosed = true
        owesConfirmation = false
        reply = nil
        let unanswered = outstanding.flatMap { $0.isCancelled ? nil : $0.id }
        outstanding = nil
        return (unanswered.map { [$0] } ?? []) + queue.removeAll()
    }
}

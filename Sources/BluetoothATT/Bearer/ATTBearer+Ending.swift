// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ATTBearer {
    /// The earliest time at which the outstanding request or the unconfirmed indication times out,
    /// or `nil` if there is neither.
    package var nextDeadline: Instant? {
        guard !isClosed else { return nil }
        guard let response = outstanding?.deadline else { return unconfirmed?.deadline }
        return unconfirmed.map { min($0.deadline, response) } ?? response
    }

    /// Closes the bearer if a deadline has passed.
    ///
    /// If a request has no response or an indication has no confirmation after 30 seconds, the
    /// specification requires that the bearer carries no further PDU (Vol 3, Part F, 3.3.3). The
    /// owner must then end the link or, for an enhanced bearer, close its channel.
    ///
    /// - Returns: The result of `close()`, or an empty array if no deadline has passed.
    package mutating func deadlinePassed(now: Instant) -> [RequestID] {
        guard let nextDeadline, now >= nextDeadline else { return [] }
        return close()
    }

    /// Closes the bearer permanently, because its link or channel has ended or is about to end.
    ///
    /// - Returns: The identifiers of the PDUs that will not be answered, confirmed or sent, without
    ///   canceled ones. The outstanding PDUs come first, then the requests and commands in the
    ///   order in which they were enqueued, then the notifications, then the indications.
    package mutating func close() -> [RequestID] {
        isClosed = true
        mustConfirm = false
        openRequest = nil
        reply = nil
        let unanswered = outstanding.flatMap { $0.isCancelled ? nil : $0.id }
        let left = [unanswered, unconfirmed?.id].compactMap { $0 }
        outstanding = nil
        unconfirmed = nil
        return left + queue.removeAll() + notifications.removeAll() + indications.removeAll()
    }
}

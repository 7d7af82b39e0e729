// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The local requests without a response yet, with the identifiers that match responses to them
/// (Vol 3, Part A, 4).
struct OutstandingRequests: Sendable {
    /// The first identifier of this host's commands.
    ///
    /// A device uses 1 to 255 in turn, and repeats an identifier only after all others (Vol 3, Part
    /// A, 4). Linux uses 1 to 128, and finds the channel that a response belongs to by the
    /// identifier alone, also among the channels that the peer requested. Where both sides request
    /// a channel with the same identifier, the refusal of one request makes Linux drop the other
    /// channel. The host therefore begins with 129, which avoids this case for the first 127
    /// commands of a link.
    static let firstIdentifier: Signaling.Identifier = 129

    /// The number of requests that may be outstanding: a quarter of the identifiers, so that an
    /// identifier is rarely used again before a late response to it has arrived.
    static let limit = 64

    struct Request: Sendable {
        let identifier: Signaling.Identifier
        let code: Signaling.Code
        var deadline: Instant
        /// Whether the deadline was extended because the peer sent a pending response.
        var isExtended = false
    }

    private var requests: [Request] = []
    private var nextIdentifier = Self.firstIdentifier

    var nextDeadline: Instant? { requests.lazy.map(\.deadline).min() }

    /// Returns whether a request with this code is outstanding.
    func contains(_ code: Signaling.Code) -> Bool {
        requests.contains { $0.code == code }
    }

    /// Adds a request and returns its identifier, or `nil` if too many requests are outstanding.
    mutating func add(_ code: Signaling.Code, deadline: Instant) -> Signaling.Identifier? {
        guard requests.count < Self.limit else { return nil }
        let identifier = takeIdentifier()
        requests.append(Request(identifier: identifier, code: code, deadline: deadline))
        return identifier
    }

    /// Returns the next identifier that no outstanding request has.
    mutating func takeIdentifier() -> Signaling.Identifier {
        while true {
            let identifier = nextIdentifier
            // Zero is not a valid identifier.
            nextIdentifier = identifier == .max ? 1 : identifier + 1
            if !requests.contains(where: { $0.identifier == identifier }) { return identifier }
        }
    }

    /// Returns the request to which a response belongs, which stays outstanding.
    ///
    /// A response either has the code that belongs to the request or rejects the command.
    func request(
        answeredBy code: Signaling.Code,
        _ identifier: Signaling.Identifier
    ) -> Request? {
        requests.first {
            $0.identifier == identifier && (code == .commandReject || code == $0.code.response)
        }
    }

    mutating func remove(_ identifier: Signaling.Identifier) {
        requests.removeAll { $0.identifier == identifier }
    }

    /// Extends the deadline of a request for which the peer sent a pending response. Only the first
    /// extension of a request has an effect.
    mutating func extend(_ identifier: Signaling.Identifier, to deadline: Instant) {
        guard let index = requests.firstIndex(where: { $0.identifier == identifier })
        else { return }
        guard !requests[index].isExtended else { return }
        requests[index].deadline = deadline
        requests[index].isExtended = true
    }

    /// Removes and returns the requests whose deadline has passed.
    mutating func expire(now: Instant) -> [Request] {
        let expired = requests.filter { $0.deadline <= now }
        requests.removeAll { $0.deadline <= now }
        return expired
    }
}

extension Signaling.Code {
    /// The code of the response to this request, which is the next number.
    fileprivate var response: Signaling.Code { Signaling.Code(rawValue: rawValue + 1) }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// Our requests that have no answer yet, and the identifiers that tell them apart
/// (Vol 3, Part A, 4).
struct OutstandingRequests: Sendable {
    /// How many requests may wait at once: far from all identifiers, so that one is not used again
    /// before a late answer to it has come.
    static let limit = 128

    struct Request: Sendable {
        let identifier: Signalling.Identifier
        let code: Signalling.Code
        var deadline: Instant
        /// Whether the peer has asked for patience.
        var isExtended = false
    }

    private var requests: [Request] = []
    private var lastIdentifier: Signalling.Identifier = 0

    var nextDeadline: Instant? { requests.lazy.map(\.deadline).min() }

    /// Whether a request with this code waits.
    func contains(_ code: Signalling.Code) -> Bool {
        requests.contains { $0.code == code }
    }

    /// The identifier of a new request; nil if too many wait.
    mutating func add(_ code: Signalling.Code, deadline: Instant) -> Signalling.Identifier? {
        guard requests.count < Self.limit else { return nil }
        let identifier = takeIdentifier()
        requests.append(Request(identifier: identifier, code: code, deadline: deadline))
        return identifier
    }

    /// The next identifier that no request has which waits; never zero.
    mutating func takeIdentifier() -> Signalling.Identifier {
        repeat {
            lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
        } while requests.contains { $0.identifier == lastIdentifier }
        return lastIdentifier
    }

    /// The request that a response is to, which is either its own kind of response or a refusal of
    /// the request as such; it goes on waiting.
    func request(
        answeredBy code: Signalling.Code,
        _ identifier: Signalling.Identifier
    ) -> Request? {
        requests.first {
            $0.identifier == identifier && (code == .commandReject || code == $0.code.response)
        }
    }

    /// The request waits no more.
    mutating func remove(_ identifier: Signalling.Identifier) {
        requests.removeAll { $0.identifier == identifier }
    }

    /// The peer asks for patience, of which it gets some once.
    mutating func extend(_ identifier: Signalling.Identifier, to deadline: Instant) {
        guard let index = requests.firstIndex(where: { $0.identifier == identifier })
        else { return }
        guard !requests[index].isExtended else { return }
        requests[index].deadline = deadline
        requests[index].isExtended = true
    }

    /// Removes and returns what has waited too long.
    mutating func expire(now: Instant) -> [Request] {
        let expired = requests.filter { $0.deadline <= now }
        requests.removeAll { $0.deadline <= now }
        return expired
    }
}

extension Signalling.Code {
    /// The response to a request of this kind, its number being the next.
    fileprivate var response: Signalling.Code { Signalling.Code(rawValue: rawValue + 1) }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The delay and the loss of a network, as a TCP connection shows them.
struct NetworkConditions: Sendable {
    /// The least time that bytes take in one direction.
    var delay: Duration = .milliseconds(4)
    /// The largest additional time, which is random.
    var jitter: Duration = .milliseconds(12)
    /// The share of segments that are lost, from 0 to 1. TCP sends them again.
    var loss = 0.01
    /// The additional time of a segment that is sent again.
    var retransmissionDelay: Duration = .milliseconds(200)
}

/// One direction of the network between the host and a gateway. Everything arrives in the order in
/// which it was sent, as on a TCP connection.
struct NetworkPath {
    struct Item {
        enum Content {
            /// The connection is established.
            case beginning
            case bytes([UInt8])
            case end
        }

        let connection: Int
        let content: Content
    }

    private let conditions: NetworkConditions
    private var random: SplitMix64
    private var waiting: [(item: Item, at: Instant)] = []
    /// Whether the network is cut: nothing arrives until it works again.
    private(set) var isCut = false

    init(_ conditions: NetworkConditions, seed: UInt64) {
        self.conditions = conditions
        random = SplitMix64(seed: seed)
    }

    /// The time at which the next item arrives.
    var nextArrival: Instant? { isCut ? nil : waiting.first?.at }

    mutating func send(_ item: Item, now: Instant) {
        let earliest = waiting.last?.at ?? now
        waiting.append((item, max(earliest, now + nextDelay())))
    }

    /// Returns the next item that has arrived.
    mutating func receive(now: Instant) -> Item? {
        guard let next = nextArrival, next <= now else { return nil }
        return waiting.removeFirst().item
    }

    /// Cuts the network, or connects it again. TCP then repeats the bytes that have not arrived.
    mutating func setCut(_ isCut: Bool, now: Instant) {
        self.isCut = isCut
        guard !isCut else { return }
        let arrival = now + nextDelay()
        waiting = waiting.map { ($0.item, max($0.at, arrival)) }
    }

    /// Drops everything on the way, because the gateway has lost its power or gets it back.
    mutating func drop() { waiting = [] }

    private mutating func nextDelay() -> Duration {
        let isLost = Double.random(in: 0..<1, using: &random) < conditions.loss
        let jitter = conditions.jitter * Double.random(in: 0..<1, using: &random)
        return conditions.delay + jitter + (isLost ? conditions.retransmissionDelay : .zero)
    }
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// One direction of the wire between a controller and its host, which determines when packets
/// arrive.
struct WireLane: Sendable {
    /// The maximum number of packets under way. Further packets are lost, as on a UART without flow
    /// control.
    static let underWayLimit = 65_536

    private let latency: WireLatency
    private var generator: RandomStream
    private var lastArrival = Instant.zero
    private var underWayCount = 0

    init(_ latency: WireLatency, generator: RandomStream) {
        self.latency = latency
        self.generator = generator
    }

    /// Whether a packet that is sent now arrives at once: the wire has no latency, and no packet is
    /// under way.
    var isImmediate: Bool { latency == .none && underWayCount == 0 }

    /// Takes over the packets under way of the lane that this one replaces, so that later packets
    /// do not overtake them.
    mutating func replace(_ earlier: WireLane) {
        lastArrival = earlier.lastArrival
        underWayCount = earlier.underWayCount
    }

    /// Returns the arrival of a packet that is sent now; `nil` if it is lost.
    mutating func send(now: Instant) -> Instant? {
        guard underWayCount < Self.underWayLimit else { return nil }
        underWayCount += 1
        let arrival = latency == .none ? now : now + latency.fixed + jitter()
        lastArrival = max(lastArrival, arrival)
        return lastArrival
    }

    /// Counts the arrival of a packet.
    mutating func arrived() {
        underWayCount = max(0, underWayCount - 1)
    }

    /// Forgets the packets under way, which do not arrive.
    mutating func loseAll() {
        (lastArrival, underWayCount) = (.zero, 0)
    }

    private mutating func jitter() -> Duration {
        let share = generator.uniform()
        return .nanoseconds(Int64(Double(max(0, latency.jitter.nanoseconds)) * share))
    }
}

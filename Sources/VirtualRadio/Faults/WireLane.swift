// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes

/// One direction of the wire between a controller and its host: when what is sent arrives.
struct WireLane: Sendable {
    /// How many packets may be under way; what is sent beyond is lost, as by a UART without flow
    /// control.
    static let underWayLimit = 65_536

    private let latency: WireLatency
    private var dice: RandomStream
    private var lastArrival = Instant.zero
    private var underWayCount = 0

    init(_ latency: WireLatency, dice: RandomStream) {
        self.latency = latency
        self.dice = dice
    }

    /// Whether everything arrives at once.
    var isImmediate: Bool { latency == .none }

    /// When a packet that is sent now arrives; nil if it is lost.
    mutating func send(now: Instant) -> Instant? {
        guard underWayCount < Self.underWayLimit else { return nil }
        underWayCount += 1
        guard !isImmediate else { return now }
        lastArrival = max(lastArrival, now + latency.fixed + jitter())
        return lastArrival
    }

    /// A packet has arrived.
    mutating func arrived() {
        underWayCount = max(0, underWayCount - 1)
    }

    private mutating func jitter() -> Duration {
        let share = dice.uniform()
        return .nanoseconds(Int64(Double(max(0, latency.jitter.nanoseconds)) * share))
    }
}

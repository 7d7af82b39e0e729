// SPDX-License-Identifier: Apache-2.0

/// The kinds and rates of the faults that a `FaultInjectingTransport` injects.
///
/// The same plan injects the same faults into the same packets each time. All randomness comes from
/// the seed, and each direction has its own generator.
public struct TransportFaultPlan: Equatable, Sendable {
    /// The probability of each fault for a packet of one direction, from 0 (never) to 1 (always).
    public struct Rates: Equatable, Sendable {
        /// The probability that the packet does not arrive.
        public var drop = 0.0
        /// The probability that the packet arrives twice.
        public var duplicate = 0.0
        /// The probability that one bit after the type byte and the header is inverted, if there is
        /// one. The framing stays correct.
        public var corrupt = 0.0
        /// The probability that the packet arrives later. The packets after it wait, so the order
        /// is kept.
        public var delay = 0.0
        /// The maximum delay.
        public var delayLimit = Duration.milliseconds(100)
        /// The probability that the packet arrives in two pieces.
        ///
        /// On the way to the controller, a transport that writes once in each turn combines the
        /// pieces again.
        public var split = 0.0

        /// Creates rates without faults.
        public init() {}
    }

    /// The seed of all random numbers.
    public var seed: UInt64
    /// The faults on the way from the host to the controller.
    public var toController = Rates()
    /// The faults on the way from the controller to the host.
    public var toHost = Rates()
    /// The number of packets, in both directions together, that pass before the next packet closes
    /// the connection; `nil` for no limit.
    public var closesAfter: Int?
    /// The number of packets, in both directions together, that pass before all further packets are
    /// lost. The connection stays open. `nil` for no limit.
    public var hangsAfter: Int?

    /// Creates a plan without faults.
    public init(seed: UInt64) {
        self.seed = seed
    }
}

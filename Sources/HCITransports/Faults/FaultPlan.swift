// SPDX-License-Identifier: Apache-2.0

/// Which faults a `FaultInjectingTransport` makes, and how often.
///
/// The same plan makes the same faults on the same packets, each time: all chance comes from the
/// seed, and the two directions draw from generators of their own.
public struct FaultPlan: Equatable, Sendable {
    /// How often each fault befalls a packet of one direction, from 0 (never) to 1 (always).
    public struct Rates: Equatable, Sendable {
        /// The packet does not arrive.
        public var drop = 0.0
        /// The packet arrives twice.
        public var duplicate = 0.0
        /// One bit after the type octet and the header is wrong, so that framing survives.
        public var corrupt = 0.0
        /// The packet arrives later. Packets behind it wait: order is kept.
        public var delay = 0.0
        /// How much later a delayed packet arrives at most.
        public var delayLimit = Duration.milliseconds(100)
        /// The packet arrives in two pieces.
        ///
        /// Pieces towards the controller are joined again by a transport that writes once a turn.
        public var split = 0.0

        /// No faults.
        public init() {}
    }

    /// Where all chance comes from.
    public var seed: UInt64
    /// Faults on the way from the host to the controller.
    public var toController = Rates()
    /// Faults on the way from the controller to the host.
    public var toHost = Rates()
    /// After this many packets, both directions together, the connection closes.
    public var closesAfter: Int?
    /// After this many packets, both directions together, nothing passes any more, though the
    /// connection stays.
    public var hangsAfter: Int?

    /// A plan without faults.
    public init(seed: UInt64) {
        self.seed = seed
    }
}

/// A small generator whose numbers follow from its seed: SplitMix64 of Steele, Lea and Flood.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

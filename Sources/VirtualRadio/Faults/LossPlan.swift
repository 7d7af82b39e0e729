// SPDX-License-Identifier: Apache-2.0

/// The packet loss that a test adds to that of the physical model. All probabilities are from 0 to
/// 1.
public struct LossPlan: Hashable, Sendable {
    /// The probability that a packet is lost, independently of others.
    public var constantLoss: Double
    /// Losses in bursts, such as those that a microwave oven causes; `nil` for none. A packet is
    /// lost if either kind of loss affects it.
    public var burstLoss: BurstLoss?

    /// Creates a plan with these losses.
    public init(constantLoss: Double = 0, burstLoss: BurstLoss? = nil) {
        self.constantLoss = constantLoss
        self.burstLoss = burstLoss
    }

    /// A plan without losses.
    public static let none = LossPlan()
}

/// The Gilbert-Elliott model: the channel of a receiver is in a good or a bad state, which may
/// change with every packet.
///
/// The bad state lasts 1 / `endProbability` packets on average, and the good state 1 /
/// `startProbability`.
public struct BurstLoss: Hashable, Sendable {
    /// The probability that the good state turns bad before the next packet.
    public var startProbability: Double
    /// The probability that the bad state turns good before the next packet.
    public var endProbability: Double
    /// The probability that a packet is lost in the good state.
    public var lossWhenGood: Double
    /// The probability that a packet is lost in the bad state.
    public var lossWhenBad: Double

    /// Creates bursts with these probabilities. By default no packet is lost in the good state, and
    /// every packet in the bad state.
    public init(
        startProbability: Double,
        endProbability: Double,
        lossWhenGood: Double = 0,
        lossWhenBad: Double = 1
    ) {
        self.startProbability = startProbability
        self.endProbability = endProbability
        self.lossWhenGood = lossWhenGood
        self.lossWhenBad = lossWhenBad
    }

    /// The long-term proportion of lost packets.
    public var meanLoss: Double {
        let changes = startProbability + endProbability
        guard changes > 0 else { return lossWhenGood }
        let bad = startProbability / changes
        return bad * lossWhenBad + (1 - bad) * lossWhenGood
    }
}

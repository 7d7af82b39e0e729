// SPDX-License-Identifier: Apache-2.0

/// What a test takes away beyond what physics does. All probabilities are from 0 to 1.
public struct LossPlan: Hashable, Sendable {
    /// The probability that a packet is lost, each by itself.
    public var constantLoss: Double
    /// Losses that come in bursts, as if a microwave oven ran now and then; nil for none. A packet
    /// is lost if either kind takes it.
    public var burstLoss: BurstLoss?

    /// The plan with these losses.
    public init(constantLoss: Double = 0, burstLoss: BurstLoss? = nil) {
        self.constantLoss = constantLoss
        self.burstLoss = burstLoss
    }

    /// Nothing is taken away.
    public static let none = LossPlan()
}

/// The model of Gilbert and Elliott: the air of a receiver is good or bad, and may change with
/// every packet.
///
/// A bad spell lasts 1 / `endProbability` packets on average, and a good one 1 / `startProbability`.
public struct BurstLoss: Hashable, Sendable {
    /// The probability that good air turns bad before the next packet.
    public var startProbability: Double
    /// The probability that bad air turns good before the next packet.
    public var endProbability: Double
    /// The probability that a packet is lost in good air.
    public var lossWhenGood: Double
    /// The probability that a packet is lost in bad air.
    public var lossWhenBad: Double

    /// Bursts with these probabilities; if nothing else is said, nothing is lost in good air, and
    /// all in bad.
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

    /// The share of packets lost in the long run.
    public var meanLoss: Double {
        let changes = startProbability + endProbability
        guard changes > 0 else { return lossWhenGood }
        let bad = startProbability / changes
        return bad * lossWhenBad + (1 - bad) * lossWhenGood
    }
}

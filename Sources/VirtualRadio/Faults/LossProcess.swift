// SPDX-License-Identifier: Apache-2.0

/// The loss plan at work at one receiver.
///
/// Interference is where the ear is: all that a receiver hears goes through one process, whoever
/// sent it. Every packet spends three numbers of the receiver's own stream, whatever the plan says,
/// so that a change of plan changes which packets are lost, but not the dice.
package struct LossProcess: Sendable {
    /// What is taken away. May change at any time. Without bursts the air turns good.
    package var plan: LossPlan
    /// Whether the air is bad just now, as far as bursts go.
    package private(set) var isBad = false

    private var stream: RandomStream

    /// The process at the receiver, in good air.
    package init(_ plan: LossPlan, seed: WorldSeed, receiver: RadioID) {
        self.plan = plan
        stream = seed.stream("loss", receiver.rawValue)
    }

    /// Whether the packet that arrives now is lost.
    package mutating func takesPacket() -> Bool {
        let (constant, change, burst) = (stream.uniform(), stream.uniform(), stream.uniform())
        let isTaken = constant < plan.constantLoss
        guard let bursts = plan.burstLoss else {
            isBad = false
            return isTaken
        }
        if change < (isBad ? bursts.endProbability : bursts.startProbability) { isBad.toggle() }
        return burst < (isBad ? bursts.lossWhenBad : bursts.lossWhenGood) || isTaken
    }
}

// SPDX-License-Identifier: Apache-2.0

/// The state of a loss plan at one receiver.
///
/// Interference acts at the receiver, so all packets that it receives go through one process,
/// whatever their sender. Every packet consumes three numbers of the receiver's own stream whatever
/// the plan is, so a change of plan changes the lost packets but not the randomness.
package struct LossProcess: Sendable {
    /// The plan, which may change at any time. Without bursts the state is good.
    package var plan: LossPlan
    /// Whether the burst model is in its bad state.
    package private(set) var isBad = false

    private var stream: RandomStream

    /// Creates the process of the receiver, in the good state.
    package init(_ plan: LossPlan, seed: WorldSeed, receiver: RadioID) {
        self.plan = plan
        stream = seed.stream("loss", receiver.rawValue)
    }

    /// Returns whether the packet that arrives now is lost.
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

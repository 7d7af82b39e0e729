// SPDX-License-Identifier: Apache-2.0
import Testing
import VirtualRadio

@Suite struct LossProcessTests {
    private func trace(
        _ plan: LossPlan,
        seed: UInt64 = 7,
        receiver: UInt64 = 1,
        count: Int = 100_000
    ) -> [Bool] {
        var process = LossProcess(plan, seed: WorldSeed(seed), receiver: RadioID(receiver))
        return (0..<count).map { _ in process.takesPacket() }
    }

    private func share(_ losses: [Bool]) -> Double {
        Double(losses.count { $0 }) / Double(losses.count)
    }

    @Test("A process without a plan loses no packets")
    func noPlan() {
        #expect(!trace(.none).contains(true))
    }

    @Test("Constant loss removes the given share of packets", arguments: [0.01, 0.1, 0.5, 0.9, 1])
    func constantLoss(probability: Double) {
        #expect(abs(share(trace(LossPlan(constantLoss: probability))) - probability) < 0.006)
    }

    @Test(
        "Bursts have the computed mean loss",
        arguments: [
            BurstLoss(startProbability: 0.01, endProbability: 0.1),
            BurstLoss(
                startProbability: 0.05,
                endProbability: 0.2,
                lossWhenGood: 0.02,
                lossWhenBad: 0.7
            ),
            BurstLoss(startProbability: 0.5, endProbability: 0.5),
        ]
    )
    func meanLoss(bursts: BurstLoss) {
        let losses = trace(LossPlan(burstLoss: bursts))
        #expect(abs(share(losses) - bursts.meanLoss) < 0.01)
    }

    @Test("Bursts have the computed mean length")
    func burstLength() {
        let losses = trace(
            LossPlan(burstLoss: BurstLoss(startProbability: 0.01, endProbability: 0.1))
        )
        let bursts = losses.split(separator: false)
        let mean = Double(losses.count { $0 }) / Double(bursts.count)
        #expect(abs(mean - 10) < 0.7)
    }

    @Test("If bursts never start, the loss is that between bursts")
    func noBursts() {
        let never = BurstLoss(startProbability: 0, endProbability: 0, lossWhenGood: 0.25)
        #expect(never.meanLoss == 0.25)
        #expect(abs(share(trace(LossPlan(burstLoss: never))) - 0.25) < 0.006)
        #expect(BurstLoss(startProbability: 0.1, endProbability: 0.3).meanLoss == 0.25)
    }

    @Test("Constant loss and burst loss combine")
    func combinedLoss() {
        let bursts = BurstLoss(startProbability: 0.25, endProbability: 0.75)
        let both = trace(LossPlan(constantLoss: 0.2, burstLoss: bursts))
        #expect(abs(share(both) - (1 - 0.8 * 0.75)) < 0.01)
    }

    @Test("The same seed loses the same packets in every run")
    func sameSeed() {
        let plan = LossPlan(
            constantLoss: 0.1,
            burstLoss: BurstLoss(startProbability: 0.1, endProbability: 0.2)
        )
        let first = trace(plan, count: 1_000)
        for _ in 0..<100 { #expect(trace(plan, count: 1_000) == first) }
        #expect(trace(plan, seed: 8, count: 1_000) != first)
        #expect(trace(plan, receiver: 2, count: 1_000) != first)
    }

    @Test("A new plan does not change the random sequence")
    func planChange() {
        let steady = trace(LossPlan(constantLoss: 0.3), count: 1_000)
        var process = LossProcess(.none, seed: WorldSeed(7), receiver: RadioID(1))
        let before = (0..<500).map { _ in process.takesPacket() }
        process.plan.constantLoss = 0.3
        let after = (500..<1_000).map { _ in process.takesPacket() }
        #expect(!before.contains(true))
        #expect(after == Array(steady[500...]))
    }

    @Test("Packets that are lost at a low loss probability are also lost at a higher one")
    func higherLoss() {
        let little = trace(LossPlan(constantLoss: 0.1), count: 1_000)
        let much = trace(LossPlan(constantLoss: 0.4), count: 1_000)
        #expect(zip(little, much).allSatisfy { !$0 || $1 })
    }

    @Test("A new plan without bursts ends the current burst")
    func removedBursts() {
        let bursts = BurstLoss(startProbability: 1, endProbability: 0)
        var process = LossProcess(
            LossPlan(burstLoss: bursts),
            seed: WorldSeed(1),
            receiver: RadioID(1)
        )
        let isFirstTaken = process.takesPacket()
        #expect(isFirstTaken && process.isBad)
        process.plan = .none
        let isSecondTaken = process.takesPacket()
        #expect(!isSecondTaken && !process.isBad)
    }
}

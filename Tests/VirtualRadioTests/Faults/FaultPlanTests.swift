// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("A fault plan") struct FaultPlanTests {
    @Test("A plan without faults prints \"no faults\"") func none() {
        #expect(FaultPlan.none.description == "no faults")
        #expect(FaultPlan() == .none)
    }

    @Test("A plan prints every fault") func description() {
        var plan = FaultPlan(
            loss: LossPlan(
                constantLoss: 0.1,
                burstLoss: BurstLoss(startProbability: 0.2, endProbability: 0.3)
            )
        )
        plan.toController = WireLatency(fixed: .milliseconds(5))
        plan.toHost = WireLatency(fixed: .milliseconds(5), jitter: .milliseconds(2))
        plan.events.dropProbability = 0.01
        plan.events.duplicateProbability = 0.02
        plan.events.delayProbability = 0.03
        plan.events.corruptProbability = 0.04
        plan.hang = Hang(.afterCommands(40), radioGoesOn: true)
        plan.restart = Instant.zero + .seconds(9)
        plan.hardwareError = HardwareFault(at: .zero + .seconds(3), code: 7)
        let text = plan.description
        for part in [
            "loss (0.1, bursts start 0.2, end 0.3, lost 0.0/1.0)",
            "to controller +0.005 seconds", "to host +0.005 seconds to +0.007 seconds",
            "drop 0.01", "duplicate 0.02", "delay 0.03 by 0.1 seconds", "corrupt 0.04 in 1 bits",
            "hangs after 40 commands while the radio goes on", "restarts at 9.000000s",
            "hardware error 7 at 3.000000s",
        ] {
            #expect(text.contains(part), "\(part) is missing in: \(text)")
        }
        #expect(Hang(.at(.zero), radioGoesOn: false).description == "at 0.000000s")
    }

    @Test("A world prints its plan with the seed") func world() throws {
        let world = World(seed: 77)
        var faults = FaultPlan()
        faults.events.dropProbability = 0.5
        try world.addController(ControllerConfiguration(name: "phone", faults: faults))
        let plain = try world.addController()
        world.run(for: .seconds(1))
        #expect(
            world.description == "World(seed: 77) at 1.000000s; phone: events (drop 0.5)"
        )
        faults.hardwareError = HardwareFault(at: .zero, code: 1)
        world.setFaults(faults, of: plain)
        #expect(world.description.contains("controller 1: events (drop 0.5), hardware error 1"))
        world.setLoss(LossPlan(constantLoss: 0.125), at: plain)
        world.switchOff(plain)
        world.switchOn(plain)
        #expect(world.description.contains("controller 1: loss (0.125)"), "\(world)")
    }
}

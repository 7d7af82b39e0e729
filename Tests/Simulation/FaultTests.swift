// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualAdapters
import VirtualRadio

import struct BluetoothHost.Link

/// Failures of accessories and of the host's controller.
@Suite("Failures, in virtual time")
struct FaultTests {
    @Test("An accessory that loses its power disconnects and is found again")
    func powerLoss() async throws {
        let harness = try AccessoryHarness(seed: 2)
        try await harness.run { [air = harness.air, harness] host in
            let link = try await AccessoryHarness.connect(host)
            let timeout = try await link.properties.parameters.supervisionTimeout
            air.world.switchOff(harness.accessory)
            let off = air.now
            #expect(try await link.ended() == .disconnected(.connectionTimeout))
            #expect(air.now <= off + timeout)
            air.world.switchOn(harness.accessory)
            let again = try await AccessoryHarness.connect(host)
            #expect(try await !again.discoverServices().isEmpty)
        }
    }

    @Test("A wall between the devices ends their link, and its removal lets them connect")
    func partition() async throws {
        let harness = try AccessoryHarness(seed: 3)
        try await harness.run { [air = harness.air, harness] host in
            air.world.assign(harness.accessory, toGroup: 1)
            let link = try await AccessoryHarness.connect(host)
            air.world.separate(group: 0, from: 1)
            #expect(try await link.ended() == .disconnected(.connectionTimeout))
            air.world.join(group: 0, with: 1)
            _ = try await AccessoryHarness.connect(host)
        }
    }

    @Test("A pending connection request lasts until the accessory receives it")
    func unreachableAccessory() async throws {
        let harness = try AccessoryHarness(seed: 5)
        try await harness.run { [air = harness.air, harness] host in
            let found = try await AccessoryHarness.find(host)
            // The accessory's packets arrive, and it receives nothing, so no connection request
            // reaches it.
            air.world.setLoss(LossPlan(constantLoss: 1), at: harness.accessory)
            let request = Task(executorPreference: air.executor.taskExecutor) {
                try await host.connect(to: found.address, options: .whenAvailable)
            }
            try await air.sleep(for: .seconds(5))
            air.world.setLoss(.none, at: harness.accessory)
            let link = try await request.value
            #expect(try await !link.discoverServices().isEmpty)
        }
    }

    @Test("A direct connection attempt fails after repeated failures to establish a link")
    func givingUp() async throws {
        let harness = try AccessoryHarness(seed: 5)
        try await harness.run { [air = harness.air, harness] host in
            let found = try await AccessoryHarness.find(host)
            air.world.setLoss(LossPlan(constantLoss: 1), at: harness.accessory)
            await #expect(throws: HostError.failedToConnect(.connectionFailedToBeEstablished)) {
                try await host.connect(to: found.address)
            }
        }
    }

    @Test("A controller that restarts ends the link and works again")
    func restart() async throws {
        var faults = FaultPlan.none
        faults.restart = .zero + .seconds(5)
        try await AccessoryHarness(seed: 6, phoneFaults: faults, isWatched: false).run { host in
            let link = try await AccessoryHarness.connect(host)
            await #expect(throws: HostError.self) { try await link.readForEver() }
            for await state in host.states where state == .ready { break }
            _ = try await AccessoryHarness.connect(host)
        }
    }

    @Test("A request fails in time if the controller hangs")
    func hang() async throws {
        var faults = FaultPlan.none
        faults.hang = Hang(.at(.zero + .seconds(5)), radioGoesOn: true)
        let harness = try AccessoryHarness(seed: 6, phoneFaults: faults, isWatched: false)
        try await harness.run { [air = harness.air] host in
            let link = try await AccessoryHarness.connect(host)
            // No pending command detects the hang, but the transaction has its own timeout.
            await #expect(throws: GATT.Failure.timedOut) { try await link.readForEver() }
            #expect(air.now < .zero + .seconds(60))
        }
    }

    @Test(
        "Lost, duplicated, delayed, and corrupted events never stop the host",
        arguments: RunSeed.seeds(40)
    )
    func badWire(seed: UInt64) async throws {
        var faults = FaultPlan.none
        faults.events.dropProbability = 0.01
        faults.events.duplicateProbability = 0.01
        faults.events.delayProbability = 0.01
        faults.events.corruptProbability = 0.01
        let harness = try AccessoryHarness(seed: seed, phoneFaults: faults, isWatched: false)
        // Each visit ends, with or without an error.
        let visitCount = try await harness.run(bound: .seconds(1_200)) { [air = harness.air] host in
            var count = 0
            while count < 5 {
                try? await Self.briefVisit(host, air)
                count += 1
            }
            return count
        }
        #expect(visitCount == 5)
    }

    /// Makes a visit with a time limit, because lost events can hide the accessory.
    private static func briefVisit(_ host: BluetoothHost, _ air: SimulatedAir) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let link = try await AccessoryHarness.connect(host)
                let found = try await link.allCharacteristics()
                if let short = found[Demo.short] { _ = try await link.read(short) }
                try await link.disconnect()
            }
            group.addTask { try await air.sleep(for: .seconds(60)) }
            try await group.next()
            group.cancelAll()
        }
    }
}

extension Link {
    fileprivate func readForEver() async throws {
        let short = try await allCharacteristics()[Demo.short]
        while let short { _ = try await read(short) }
    }
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

/// The effects of distance: it weakens signals, hides devices and ends links.
@Suite("Distance, in virtual time")
struct RangeTests {
    @Test(
        "The signal weakens with distance as in the model",
        arguments: [1, 2, 4, 8, 16, 32] as [Double]
    )
    func signalStrength(meters: Double) async throws {
        let found = try await AccessoryHarness(seed: 1, meters: meters).run {
            try await AccessoryHarness.find($0)
        }
        let model = -PathLoss.indoors.decibels(distance: meters)
        #expect(found.rssi == Int(model.rounded()))
    }

    @Test("A device out of range is not discovered")
    func hidden() async throws {
        let harness = try AccessoryHarness(seed: 1, meters: 1_000)
        let isFound = try await harness.run { [air = harness.air] host in
            let search = Task(executorPreference: air.executor.taskExecutor) {
                try await AccessoryHarness.find(host)
            }
            try await air.sleep(for: .seconds(30))
            search.cancel()
            return (try? await search.value) != nil
        }
        #expect(!isFound)
    }

    @Test("A link out of range ends at its supervision timeout", arguments: RunSeed.seeds(3))
    func walkAway(seed: UInt64) async throws {
        let harness = try AccessoryHarness(seed: seed)
        let silence = Instant.zero + .seconds(20)
        let (end, timeout, interval) = try await harness.run { [air = harness.air, harness] host in
            let link = try await AccessoryHarness.connect(host)
            let parameters = try await link.properties.parameters
            // The accessory moves about a meter per second until the 20th second, and is then out
            // of range at once.
            air.world.move(
                harness.accessory,
                along: Path([
                    .init(Position(x: 2, y: 0), at: air.now),
                    .init(Position(x: 20, y: 0), at: silence),
                    .init(Position(x: 20_000, y: 0), at: silence),
                ])
            )
            #expect(try await link.ended() == .disconnected(.connectionTimeout))
            return (air.now, parameters.supervisionTimeout, parameters.interval)
        }
        let expected = silence + timeout
        #expect(end <= expected && end >= expected + (.zero - interval), "\(end), not \(expected)")
    }

    @Test("A pending connection request succeeds when the device returns")
    func comingBack() async throws {
        let harness = try AccessoryHarness(seed: 4)
        try await harness.run(bound: .seconds(300)) { [air = harness.air, harness] host in
            let link = try await AccessoryHarness.connect(host)
            air.world.move(harness.accessory, to: Position(x: 10_000, y: 0))
            _ = try await link.ended()
            let pending = Task(executorPreference: air.executor.taskExecutor) {
                try await host.connect(to: link.address, options: .whenAvailable)
            }
            try await air.sleep(for: .seconds(60))
            air.world.move(harness.accessory, to: Position(x: 3, y: 0))
            let back = air.now
            let again = try await pending.value
            #expect(air.now <= back + .seconds(5))
            #expect(try await again.discoverServices().count >= 4)
        }
    }
}

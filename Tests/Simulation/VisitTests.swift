// SPDX-License-Identifier: Apache-2.0
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import LanyardTestSupport
import Testing
import VirtualRadio

/// Visits of our host to an accessory on the virtual radio, with and without packet loss. In a
/// *visit*, a central connects, discovers, reads, writes, subscribes and disconnects.
@Suite("A visit to an accessory, in virtual time")
struct VisitTests {
    /// Does the work of a central: discovery, short and long reads, writes, and a subscription.
    private static func visit(
        _ host: BluetoothHost,
        connecting options: ConnectOptions = ConnectOptions()
    ) async throws {
        let link = try await AccessoryHarness.connect(host, options: options)
        let found = try await link.allCharacteristics()
        let short = try #require(found[Demo.short])
        #expect(try await link.read(short).count == 20)
        let long = try #require(found[Demo.long])
        #expect(try await link.readLong(long).count == 512)
        let writable = try #require(found[Demo.writable])
        try await link.write([1, 2, 3], to: writable)
        #expect(try await link.read(writable) == [1, 2, 3])
        let heartRate = try #require(found[Demo.heartRate])
        var rates: [UInt8] = []
        for try await value in try await link.subscribe(to: heartRate) {
            rates.append(value[1])
            if rates.count == 10 { break }
        }
        let first = try #require(rates.first)
        #expect(rates == (0..<10).map { 60 + (first - 60 + $0) % 40 })
        try await link.disconnect()
    }

    @Test("A visit succeeds without packet loss")
    func goodAir() async throws {
        try await AccessoryHarness(seed: 1).run { try await Self.visit($0) }
    }

    @Test(
        "A visit succeeds with ten percent packet loss and bursts",
        arguments: [70_015] + RunSeed.seeds(10)
    )
    func lossyAir(seed: UInt64) async throws {
        var faults = FaultPlan.none
        faults.loss.constantLoss = 0.1
        faults.loss.burstLoss = BurstLoss(startProbability: 0.01, endProbability: 0.2)
        // A burst lasts for a number of packets. The accessory receives one packet of each attempt
        // to connect, so a burst can outlast the attempts of a direct request.
        try await AccessoryHarness(seed: seed, phoneFaults: faults, accessoryFaults: faults)
            .run { try await Self.visit($0, connecting: .whenAvailable) }
    }

    @Test(
        "A visit succeeds at the edge of range, where one packet in three is lost",
        arguments: RunSeed.seeds(3)
    )
    func edgeOfRange(seed: UInt64) async throws {
        // -40.2 dB over the first meter and 27 dB for each tenfold distance: -94.6 dBm at 103 m.
        try await AccessoryHarness(seed: seed, meters: 103).run(bound: .seconds(300)) {
            try await Self.visit($0)
        }
    }

    @Test("The same seed gives the same packets at the same nanoseconds in 100 runs")
    func determinism() async throws {
        func digest(seed: UInt64) async throws -> UInt64 {
            var faults = FaultPlan.none
            faults.loss.constantLoss = 0.05
            let harness = try AccessoryHarness(seed: seed, phoneFaults: faults)
            try await harness.run { try await Self.visit($0) }
            #expect(harness.traceDigest.count > 100)
            return harness.traceDigest.digest
        }
        let first = try await digest(seed: 7)
        for _ in 0..<99 { #expect(try await digest(seed: 7) == first) }
        #expect(try await digest(seed: 8) != first)
    }
}

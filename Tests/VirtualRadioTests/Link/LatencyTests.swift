// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Peripheral latency")
struct LatencyTests {
    /// Returns the instants at which one end of an idle link received a packet.
    private func receptions(_ harness: LinkHarness, _ link: LinkID, _ side: LinkSide) -> [Instant] {
        var instants: [Instant] = []
        for _ in 0..<200 {
            harness.world.run(for: .milliseconds(10))
            guard let last = harness[link]?[side]?.lastReceived, last != instants.last else {
                continue
            }
            instants.append(last)
        }
        return instants
    }

    @Test(
        "The peripheral listens at every event except those that it may skip",
        arguments: [0, 1, 4, 9]
    )
    func skips(latency: Int) throws {
        let harness = try LinkHarness()
        let link = try harness.connect(
            0,
            1,
            .milliseconds(10, latency: latency, timeout: .seconds(5))
        )
        for side in LinkSide.allCases {
            let instants = receptions(harness, link, side)
            let pauses = zip(instants.dropFirst(), instants).map { $0 - $1 }
            #expect(pauses.count > 15)
            #expect(pauses.allSatisfy { $0 == .milliseconds(10) * (latency + 1) })
        }
    }

    @Test("A peripheral with data sends it at the next event")
    func peripheralData() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(10, latency: 49, timeout: .seconds(5)))
        harness.world.run(for: .seconds(1) + .milliseconds(3))
        harness.hosts[1].send([[1, 2, 3]], on: try harness.handle(link, .peripheral))
        harness.world.run(for: .milliseconds(10))
        #expect(harness.hosts[0].bytes(try harness.handle(link, .central)) == [1, 2, 3])
    }

    @Test("Data of the central waits until the peripheral listens")
    func centralData() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(10, latency: 49, timeout: .seconds(5)))
        harness.world.run(for: .milliseconds(100))
        harness.hosts[0].send([[1, 2, 3]], on: try harness.handle(link, .central))
        harness.world.run(for: .milliseconds(390))
        #expect(harness.hosts[1].received.isEmpty)
        harness.world.run(for: .milliseconds(20))
        #expect(harness.hosts[1].bytes(try harness.handle(link, .peripheral)) == [1, 2, 3])
        // The same exchange acknowledges the data.
        #expect(harness.hosts[0].completed[try harness.handle(link, .central)] == 1)
    }

    @Test("A peripheral that missed a packet listens at every event until it receives one")
    func missedPacket() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(10, latency: 9, timeout: .seconds(5)))
        harness.world.run(for: .milliseconds(95))
        let (one, other) = (harness.hosts[0].radio, harness.hosts[1].radio)
        harness.world.core.ether.environment.setLoss(200, between: one, and: other)
        harness.world.run(for: .milliseconds(20))
        harness.world.core.ether.environment.setLoss(nil, between: one, and: other)
        harness.world.run(for: .milliseconds(10))
        let last = try #require(harness[link]?.peripheral?.lastReceived)
        #expect(harness.world.now - last < .milliseconds(10))
    }
}

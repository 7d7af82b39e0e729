// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Peripheral latency")
struct LatencyTests {
    /// The instants of an idle link at which the end received a packet.
    private func hearings(_ bench: LinkBench, _ link: LinkID, _ side: LinkSide) -> [Instant] {
        var instants: [Instant] = []
        for _ in 0..<200 {
            bench.world.run(for: .milliseconds(10))
            guard let last = bench[link]?[side]?.lastHeard, last != instants.last else { continue }
            instants.append(last)
        }
        return instants
    }

    @Test(
        "The Peripheral listens at every event except those that it may skip",
        arguments: [0, 1, 4, 9]
    )
    func skips(latency: Int) throws {
        let bench = try LinkBench()
        let link = try bench.connect(
            0,
            1,
            .milliseconds(10, latency: latency, timeout: .seconds(5))
        )
        for side in LinkSide.allCases {
            let instants = hearings(bench, link, side)
            let pauses = zip(instants.dropFirst(), instants).map { $0 - $1 }
            #expect(pauses.count > 15)
            #expect(pauses.allSatisfy { $0 == .milliseconds(10) * (latency + 1) })
        }
    }

    @Test("A Peripheral with data does not wait")
    func peripheralData() throws {
        let bench = try LinkBench()
        let link = try bench.connect(0, 1, .milliseconds(10, latency: 49, timeout: .seconds(5)))
        bench.world.run(for: .seconds(1) + .milliseconds(3))
        bench.hosts[1].send([[1, 2, 3]], on: try bench.handle(link, .peripheral))
        bench.world.run(for: .milliseconds(10))
        #expect(bench.hosts[0].octets(try bench.handle(link, .central)) == [1, 2, 3])
    }

    @Test("Data of the Central waits until the Peripheral listens")
    func centralData() throws {
        let bench = try LinkBench()
        let link = try bench.connect(0, 1, .milliseconds(10, latency: 49, timeout: .seconds(5)))
        bench.world.run(for: .milliseconds(100))
        bench.hosts[0].send([[1, 2, 3]], on: try bench.handle(link, .central))
        bench.world.run(for: .milliseconds(390))
        #expect(bench.hosts[1].received.isEmpty)
        bench.world.run(for: .milliseconds(20))
        #expect(bench.hosts[1].octets(try bench.handle(link, .peripheral)) == [1, 2, 3])
        // It is acknowledged in the same exchange.
        #expect(bench.hosts[0].completed[try bench.handle(link, .central)] == 1)
    }

    @Test("A Peripheral that missed a packet listens at every event until it receives one")
    func missedPacket() throws {
        let bench = try LinkBench()
        let link = try bench.connect(0, 1, .milliseconds(10, latency: 9, timeout: .seconds(5)))
        bench.world.run(for: .milliseconds(95))
        let (one, other) = (bench.hosts[0].radio, bench.hosts[1].radio)
        bench.world.core.ether.surroundings.setLoss(200, between: one, and: other)
        bench.world.run(for: .milliseconds(20))
        bench.world.core.ether.surroundings.setLoss(nil, between: one, and: other)
        bench.world.run(for: .milliseconds(10))
        let last = try #require(bench[link]?.peripheral?.lastHeard)
        #expect(bench.world.now - last < .milliseconds(10))
    }
}

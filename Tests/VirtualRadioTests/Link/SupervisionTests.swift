// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Lost links")
struct SupervisionTests {
    /// Moves the two out of range for good.
    private func separate(_ bench: LinkBench) {
        let (one, other) = (bench.hosts[0].radio, bench.hosts[1].radio)
        bench.world.core.ether.surroundings.setLoss(200, between: one, and: other)
    }

    @Test(
        "A link without a first packet fails after six intervals",
        arguments: LinkSide.allCases,
        [7.5, 30, 1_000]
    )
    func notEstablished(side: LinkSide, milliseconds: Double) throws {
        let bench = try LinkBench()
        let link = try bench.propose(0, 1, .milliseconds(milliseconds, timeout: .seconds(20)))
        switch side {
        case .central: bench.open(link)
        case .peripheral: bench.join(link)
        }
        bench.world.run(for: .seconds(60))

        let host = bench.hosts[side == .central ? 0 : 1]
        let end = try #require(host.disconnection)
        #expect(end.reason == .connectionFailedToBeEstablished)
        #expect(end.instant == Instant.zero + .microseconds(Int64(milliseconds * 6_000)))
        #expect(bench.world.core.ether.linkCount(of: host.radio) == 0)
        #expect(bench.world.core.ether.links.count == 0)
        #expect(bench.world.nextInstant == nil)
    }

    @Test("Both ends fail if no packet arrives")
    func neverHeard() throws {
        let bench = try LinkBench()
        separate(bench)
        try bench.connect()
        bench.world.run(for: .seconds(1))
        for host in bench.hosts {
            #expect(host.disconnection?.reason == .connectionFailedToBeEstablished)
            #expect(host.disconnection?.instant == Instant.zero + .milliseconds(180))
        }
    }

    @Test(
        "Without packets an established link ends at the supervision timeout",
        arguments: [
            LinkParameters.milliseconds(30, timeout: .milliseconds(100)),
            .milliseconds(7.5, timeout: .seconds(2)),
            .milliseconds(100, latency: 4, timeout: .milliseconds(1_500)),
            .milliseconds(4_000, timeout: .seconds(32)),
        ]
    )
    func supervision(parameters: LinkParameters) throws {
        let bench = try LinkBench()
        let link = try bench.connect(0, 1, parameters)
        bench.world.run(for: .seconds(20))
        separate(bench)
        let last = try LinkSide.allCases.map { try #require(bench[link]?[$0]?.lastHeard) }
        bench.world.run(for: .seconds(40))

        for (host, instant) in zip(bench.hosts, last) {
            let end = try #require(host.disconnection)
            #expect(end.reason == .connectionTimeout)
            #expect(end.instant == instant + parameters.supervisionTimeout)
        }
        #expect(bench.world.core.ether.links.count == 0)
        #expect(bench.world.nextInstant == nil)
    }

    @Test("A link survives packet loss that is shorter than the timeout")
    func interruption() throws {
        let bench = try LinkBench()
        try bench.connect(0, 1, .milliseconds(30, timeout: .seconds(1)))
        let (one, other) = (bench.hosts[0].radio, bench.hosts[1].radio)
        for _ in 0..<20 {
            bench.world.run(for: .seconds(1))
            separate(bench)
            bench.world.run(for: .milliseconds(900))
            bench.world.core.ether.surroundings.setLoss(nil, between: one, and: other)
        }
        #expect(bench.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("Dropped links end without a packet, and the peer detects it", arguments: 0...1)
    func dropped(who: Int) throws {
        let bench = try LinkBench()
        try bench.connect(0, 1, .milliseconds(30, timeout: .seconds(1)))
        bench.world.run(for: .milliseconds(500))
        bench.world.core.ether.dropLinks(of: bench.hosts[who].radio)
        #expect(bench.world.core.ether.linkCount(of: bench.hosts[who].radio) == 0)
        bench.world.run(for: .seconds(2))

        #expect(bench.hosts[who].disconnection == nil)
        let end = try #require(bench.hosts[1 - who].disconnection)
        #expect(end.reason == .connectionTimeout)
        #expect(end.instant < Instant.zero + .milliseconds(1_501))
        #expect(end.instant > Instant.zero + .milliseconds(1_469))
        #expect(bench.world.core.ether.links.count == 0)
        #expect(bench.world.nextInstant == nil)
    }

    @Test("Dropping a requested link removes it")
    func droppedProposal() throws {
        let bench = try LinkBench()
        let link = try bench.propose()
        bench.world.core.ether.dropLinks(of: bench.hosts[0].radio)
        #expect(bench.world.core.ether.links.count == 0)
        #expect(bench.join(link) == nil)
        bench.open(link)
        #expect(bench.world.nextInstant == nil)
    }

    @Test("A wrong key ends the link at the end that detects it", arguments: LinkSide.allCases)
    func wrongKey(side: LinkSide) throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        bench.world.run(for: .milliseconds(100))
        bench.change(link, side) { $0.sendingKey = [1] }
        bench.change(link, side.other) { $0.receivingKey = [2] }
        bench.hosts[side == .central ? 0 : 1].send([[1, 2, 3]], on: try bench.handle(link, side))
        bench.world.run(for: .milliseconds(100))

        let (sender, receiver) = side == .central ? (0, 1) : (1, 0)
        #expect(bench.hosts[receiver].disconnection?.reason == .messageIntegrityFailure)
        #expect(bench.hosts[sender].disconnection == nil)
        #expect(bench.hosts[receiver].received.isEmpty)
        bench.world.run(for: .seconds(3))
        #expect(bench.hosts[sender].disconnection?.reason == .connectionTimeout)
    }

    @Test("Ends with different timing do not meet again")
    func differentRhythm() throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        bench.world.run(for: .milliseconds(100))
        bench.change(link, .central) { $0.rhythm.sending = .le2M }
        bench.world.run(for: .seconds(3))
        #expect(bench.hosts.allSatisfy { $0.disconnection?.reason == .connectionTimeout })
    }
}

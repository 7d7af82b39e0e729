// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("Lost links")
struct SupervisionTests {
    /// Moves the two hosts out of range.
    private func separate(_ harness: LinkHarness) {
        let (one, other) = (harness.hosts[0].radio, harness.hosts[1].radio)
        harness.world.core.ether.environment.setLoss(200, between: one, and: other)
    }

    @Test(
        "A link without a first packet fails after six intervals",
        arguments: LinkSide.allCases,
        [7.5, 30, 1_000]
    )
    func notEstablished(side: LinkSide, milliseconds: Double) throws {
        let harness = try LinkHarness()
        let link = try harness.propose(0, 1, .milliseconds(milliseconds, timeout: .seconds(20)))
        switch side {
        case .central: harness.open(link)
        case .peripheral: harness.join(link)
        }
        harness.world.run(for: .seconds(60))

        let host = harness.hosts[side == .central ? 0 : 1]
        let end = try #require(host.disconnection)
        #expect(end.reason == .connectionFailedToBeEstablished)
        #expect(end.instant == Instant.zero + .microseconds(Int64(milliseconds * 6_000)))
        #expect(harness.world.core.ether.linkCount(of: host.radio) == 0)
        #expect(harness.world.core.ether.links.count == 0)
        #expect(harness.world.nextInstant == nil)
    }

    @Test("Both ends fail if no packet arrives")
    func neverReceived() throws {
        let harness = try LinkHarness()
        separate(harness)
        try harness.connect()
        harness.world.run(for: .seconds(1))
        for host in harness.hosts {
            #expect(host.disconnection?.reason == .connectionFailedToBeEstablished)
            #expect(host.disconnection?.instant == Instant.zero + .milliseconds(180))
        }
    }

    @Test(
        "Without packets, an established link ends at the supervision timeout",
        arguments: [
            LinkParameters.milliseconds(30, timeout: .milliseconds(100)),
            .milliseconds(7.5, timeout: .seconds(2)),
            .milliseconds(100, latency: 4, timeout: .milliseconds(1_500)),
            .milliseconds(4_000, timeout: .seconds(32)),
        ]
    )
    func supervision(parameters: LinkParameters) throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, parameters)
        harness.world.run(for: .seconds(20))
        separate(harness)
        let last = try LinkSide.allCases.map { try #require(harness[link]?[$0]?.lastReceived) }
        harness.world.run(for: .seconds(40))

        for (host, instant) in zip(harness.hosts, last) {
            let end = try #require(host.disconnection)
            #expect(end.reason == .connectionTimeout)
            #expect(end.instant == instant + parameters.supervisionTimeout)
        }
        #expect(harness.world.core.ether.links.count == 0)
        #expect(harness.world.nextInstant == nil)
    }

    @Test("A link survives packet loss that is shorter than the timeout")
    func interruption() throws {
        let harness = try LinkHarness()
        try harness.connect(0, 1, .milliseconds(30, timeout: .seconds(1)))
        let (one, other) = (harness.hosts[0].radio, harness.hosts[1].radio)
        for _ in 0..<20 {
            harness.world.run(for: .seconds(1))
            separate(harness)
            harness.world.run(for: .milliseconds(900))
            harness.world.core.ether.environment.setLoss(nil, between: one, and: other)
        }
        #expect(harness.hosts.allSatisfy { $0.disconnection == nil })
    }

    @Test("A dropped link ends without a packet, and the peer's link times out", arguments: 0...1)
    func dropped(index: Int) throws {
        let harness = try LinkHarness()
        try harness.connect(0, 1, .milliseconds(30, timeout: .seconds(1)))
        harness.world.run(for: .milliseconds(500))
        harness.world.core.ether.dropLinks(of: harness.hosts[index].radio)
        #expect(harness.world.core.ether.linkCount(of: harness.hosts[index].radio) == 0)
        harness.world.run(for: .seconds(2))

        #expect(harness.hosts[index].disconnection == nil)
        let end = try #require(harness.hosts[1 - index].disconnection)
        #expect(end.reason == .connectionTimeout)
        #expect(end.instant < Instant.zero + .milliseconds(1_501))
        #expect(end.instant > Instant.zero + .milliseconds(1_469))
        #expect(harness.world.core.ether.links.count == 0)
        #expect(harness.world.nextInstant == nil)
    }

    @Test("Dropping a requested link removes the link")
    func droppedProposal() throws {
        let harness = try LinkHarness()
        let link = try harness.propose()
        harness.world.core.ether.dropLinks(of: harness.hosts[0].radio)
        #expect(harness.world.core.ether.links.count == 0)
        #expect(harness.join(link) == nil)
        harness.open(link)
        #expect(harness.world.nextInstant == nil)
    }

    @Test("A wrong key ends the link at the end that detects it", arguments: LinkSide.allCases)
    func wrongKey(side: LinkSide) throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        harness.world.run(for: .milliseconds(100))
        harness.change(link, side) { $0.sendingKey = [1] }
        harness.change(link, side.other) { $0.receivingKey = [2] }
        harness.hosts[side == .central ? 0 : 1].send(
            [[1, 2, 3]],
            on: try harness.handle(link, side)
        )
        harness.world.run(for: .milliseconds(100))

        let (sender, receiver) = side == .central ? (0, 1) : (1, 0)
        #expect(harness.hosts[receiver].disconnection?.reason == .messageIntegrityFailure)
        #expect(harness.hosts[sender].disconnection == nil)
        #expect(harness.hosts[receiver].received.isEmpty)
        harness.world.run(for: .seconds(3))
        #expect(harness.hosts[sender].disconnection?.reason == .connectionTimeout)
    }

    @Test("A link ends if its ends use different PHYs")
    func differentSettings() throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        harness.world.run(for: .milliseconds(100))
        harness.change(link, .central) { $0.settings.sending = .le2M }
        harness.world.run(for: .seconds(3))
        #expect(harness.hosts.allSatisfy { $0.disconnection?.reason == .connectionTimeout })
    }
}

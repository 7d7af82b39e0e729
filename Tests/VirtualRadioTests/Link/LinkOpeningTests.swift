// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("The beginning of links")
struct LinkOpeningTests {
    @Test("Each host gets its event when its controller has opened the link")
    func announcements() throws {
        let bench = try LinkBench()
        let link = try bench.connect(0, 1, .milliseconds(30, latency: 3))
        bench.world.run(for: .milliseconds(100))

        for (host, side) in zip(bench.hosts, LinkSide.allCases) {
            guard case .connectionComplete(let event)? = host.events.first?.event else {
                Issue.record("no LE Connection Complete at \(side)")
                continue
            }
            #expect(event.status == .success)
            #expect(event.connectionHandle == (try bench.handle(link, side)))
            #expect(event.role == (side == .central ? .central : .peripheral))
            #expect(
                event.peerAddress.deviceAddress == bench.hosts[side == .central ? 1 : 0].address
            )
            #expect(event.interval.duration == .milliseconds(30))
            #expect(event.peripheralLatency == 3)
            #expect(event.supervisionTimeout.duration == .seconds(2))
        }
    }

    @Test("A host that unmasks the enhanced events gets them", arguments: [false, true])
    func enhanced(version2: Bool) throws {
        let bench = try LinkBench()
        let form: HCI.LEEventMask =
            version2 ? .enhancedConnectionCompleteV2 : .enhancedConnectionComplete
        let mask: HCI.LEEventMask = [.connectionComplete, form, .channelSelectionAlgorithm]
        bench.hosts[0].command(HCI.LESetEventMask(mask: mask))
        let link = try bench.connect()
        bench.world.run(for: .milliseconds(10))

        let events = bench.hosts[0].events.map(\.event)
        switch events.first {
        case .enhancedConnectionComplete(let event) where !version2:
            #expect(event.connectionHandle == (try bench.handle(link, .central)))
        case .enhancedConnectionCompleteV2(let event) where version2:
            #expect(event.connection.connectionHandle == (try bench.handle(link, .central)))
            #expect(event.advertisingHandle == 0xFF)
        default: Issue.record("another event came: \(events)")
        }
        guard case .channelSelectionAlgorithm(let event)? = events.last else {
            Issue.record("LE Channel Selection Algorithm is missing")
            return
        }
        #expect(event.algorithm == 1)
    }

    @Test(
        "An old controller does not report the channel selection algorithm",
        arguments: [false, true]
    )
    func oldController(isOld: Bool) throws {
        let bench = try LinkBench { $0.isOld = isOld }
        let mask: HCI.LEEventMask = [.connectionComplete, .channelSelectionAlgorithm]
        bench.hosts[0].command(HCI.LESetEventMask(mask: mask))
        try bench.connect()
        bench.world.run(for: .milliseconds(10))
        #expect(bench.hosts[0].events.count == (isOld ? 1 : 2))
    }

    @Test(
        "The first packet comes one transmit window delay after the request",
        arguments: [
            (false, Modulation.le1M, 1_250), (true, .le1M, 2_500), (true, .le2M, 2_500),
            (true, .codedS8, 3_750),
        ]
    )
    func firstAnchor(isAuxiliary: Bool, modulation: Modulation, microseconds: Int64) throws {
        let bench = try LinkBench()
        let link = try bench.connect {
            $0.isAuxiliary = isAuxiliary
            $0.modulation = modulation
        }
        #expect(bench[link]?.anchor == Instant.zero + .microseconds(microseconds))
        bench.world.run(for: .microseconds(microseconds) + modulation.airTime(pduLength: 2))
        #expect(bench[link]?.peripheral?.lastHeard == bench.world.now)
        #expect(bench[link]?.central?.lastHeard == nil)
        bench.world.run(for: FrameSpace.betweenFrames + modulation.airTime(pduLength: 2))
        #expect(bench[link]?.central?.lastHeard == bench.world.now)
    }

    @Test("A packet follows every interval, and the event counter advances")
    func anchors() throws {
        let bench = try LinkBench()
        let link = try bench.connect(0, 1, .milliseconds(11.25))
        for number in UInt16(0)..<200 {
            let anchor = Instant.zero + .microseconds(1_250 + 11_250 * Int64(number))
            #expect(bench[link]?.anchor == anchor)
            #expect(bench[link]?.eventCounter == number)
            bench.world.run(until: anchor + .milliseconds(1))
        }
    }

    @Test("A canceled link is not joined")
    func abandoned() throws {
        let bench = try LinkBench()
        let link = try bench.propose()
        bench.world.core.ether.abandonLink(link)
        #expect(bench.join(link) == nil)
        #expect(bench.world.core.ether.linkCount(of: bench.hosts[1].radio) == 0)
    }

    @Test("A link is joined once and not by the Central itself")
    func joinedOnce() throws {
        let bench = try LinkBench(hosts: 3)
        let link = try bench.propose()
        #expect(bench.join(link, 0) == nil)
        #expect(bench.join(link, 1) != nil)
        #expect(bench.join(link, 2) == nil)
    }

    @Test("A controller has no more links than its limit")
    func linkLimit() throws {
        let bench = try LinkBench(hosts: 4) { $0.linkLimit = 2 }
        let first = try bench.connect(0, 1)
        let second = try bench.propose(0, 2)
        let proposal = try #require(bench[first]).proposal
        let another = bench.world.core.ether.proposeLink(proposal)
        #expect(another == nil)
        bench.world.core.ether.abandonLink(second)
        try bench.connect(0, 2)
        #expect(bench.world.core.ether.linkCount(of: bench.hosts[0].radio) == 2)

        let third = try bench.propose(3, 0)
        #expect(bench.join(third, 0, peer: 3) == nil)
    }

    @Test(
        "A controller may have as many links as it is configured for",
        arguments: [20, 200, 1_919]
    )
    func configuredLimit(limit: Int) {
        var configuration = ControllerConfiguration()
        configuration.linkLimit = limit
        #expect(LinkAccount(configuration).linkLimit == limit)
        #expect(RadioSchedule.engagementLimit > limit + 100)
    }

    @Test("Handles are valid and not reused at once")
    func handles() throws {
        let bench = try LinkBench()
        var seen: [ConnectionHandle] = []
        for _ in 0..<600 {
            let link = try bench.connect()
            seen.append(try bench.handle(link, .central))
            bench.world.core.ether.dropLinks(of: bench.hosts[0].radio)
            bench.world.core.ether.dropLinks(of: bench.hosts[1].radio)
        }
        #expect(seen.allSatisfy { (1...LinkAccount.handleLimit).contains($0.rawValue) })
        for window in 0..<(seen.count - 200) {
            #expect(Set(seen[window..<(window + 200)]).count == 200)
        }
        #expect(bench.world.core.ether.links.count == 0)
    }

    @Test("A controller knows the peers of its links")
    func peers() throws {
        let bench = try LinkBench(hosts: 3)
        try bench.connect(0, 1)
        let ether = bench.world.core.ether
        #expect(ether.hasLink(bench.hosts[0].radio, to: bench.hosts[1].address))
        #expect(ether.hasLink(bench.hosts[1].radio, to: bench.hosts[0].address))
        #expect(!ether.hasLink(bench.hosts[0].radio, to: bench.hosts[2].address))
        #expect(!ether.hasLink(bench.hosts[2].radio, to: bench.hosts[0].address))
    }

    @Test("Each end knows the signal strength of the last packet")
    func strength() throws {
        let bench = try LinkBench()
        let link = try bench.connect()
        let radio = bench.hosts[0].radio
        let handle = try bench.handle(link, .central)
        #expect(bench.world.core.ether.linkRSSI(of: radio, handle) == SignalStrength.unavailable)
        bench.world.run(for: .milliseconds(100))
        let near = try #require(bench.world.core.ether.linkRSSI(of: radio, handle))
        #expect((-60 ... -20).contains(near))
        bench.world.core.ether.surroundings.setLoss(80, between: radio, and: bench.hosts[1].radio)
        bench.world.run(for: .milliseconds(100))
        #expect(bench.world.core.ether.linkRSSI(of: radio, handle) == -80)
        let nobody = ConnectionHandle(rawValue: 0x0EFF)
        #expect(bench.world.core.ether.linkRSSI(of: radio, nobody) == nil)
    }

    @Test("A Central without a free link reports that, and nothing is left")
    func noRoom() throws {
        let bench = try LinkBench(hosts: 3) { $0.linkLimit = 1 }
        let asked = try bench.propose(0, 1)
        let other = try bench.propose(2, 0)
        bench.join(other, 0, peer: 2)
        bench.open(asked)
        bench.world.run(for: .seconds(1))
        let status = bench.hosts[0].events.compactMap { entry -> HCI.ErrorCode? in
            guard case .connectionComplete(let event) = entry.event else { return nil }
            return event.status
        }
        #expect(status == [.success, .connectionLimitExceeded])
        #expect(bench[asked] == nil)
    }

}

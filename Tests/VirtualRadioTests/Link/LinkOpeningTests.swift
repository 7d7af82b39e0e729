// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

@Suite("The beginning of links")
struct LinkOpeningTests {
    @Test("Each host gets its event when its controller has opened the link")
    func announcements() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(30, latency: 3))
        harness.world.run(for: .milliseconds(100))

        for (host, side) in zip(harness.hosts, LinkSide.allCases) {
            guard case .connectionComplete(let event)? = host.events.first?.event else {
                Issue.record("No LE Connection Complete at \(side)")
                continue
            }
            #expect(event.status == .success)
            #expect(event.connectionHandle == (try harness.handle(link, side)))
            #expect(event.role == (side == .central ? .central : .peripheral))
            #expect(
                event.peerAddress.deviceAddress == harness.hosts[side == .central ? 1 : 0].address
            )
            #expect(event.interval.duration == .milliseconds(30))
            #expect(event.peripheralLatency == 3)
            #expect(event.supervisionTimeout.duration == .seconds(2))
        }
    }

    @Test("A host that unmasks an enhanced event receives it", arguments: [false, true])
    func enhanced(version2: Bool) throws {
        let harness = try LinkHarness()
        let form: HCI.LEEventMask =
            version2 ? .enhancedConnectionCompleteV2 : .enhancedConnectionComplete
        let mask: HCI.LEEventMask = [.connectionComplete, form, .channelSelectionAlgorithm]
        harness.hosts[0].command(HCI.LESetEventMask(mask: mask))
        let link = try harness.connect()
        harness.world.run(for: .milliseconds(10))

        let events = harness.hosts[0].events.map(\.event)
        switch events.first {
        case .enhancedConnectionComplete(let event) where !version2:
            #expect(event.connectionHandle == (try harness.handle(link, .central)))
        case .enhancedConnectionCompleteV2(let event) where version2:
            #expect(event.connection.connectionHandle == (try harness.handle(link, .central)))
            #expect(event.advertisingHandle == 0xFF)
        default: Issue.record("Another event arrived: \(events)")
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
        let harness = try LinkHarness { $0.isOld = isOld }
        let mask: HCI.LEEventMask = [.connectionComplete, .channelSelectionAlgorithm]
        harness.hosts[0].command(HCI.LESetEventMask(mask: mask))
        try harness.connect()
        harness.world.run(for: .milliseconds(10))
        #expect(harness.hosts[0].events.count == (isOld ? 1 : 2))
    }

    @Test("An old controller ignores the bits of later events in the LE event mask")
    func laterEvents() throws {
        let harness = try LinkHarness { $0.isOld = true }
        harness.hosts[0].command(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max)))
        try harness.connect()
        harness.world.run(for: .milliseconds(10))
        guard case .enhancedConnectionComplete? = harness.hosts[0].events.first?.event else {
            Issue.record("Another event arrived: \(harness.hosts[0].events)")
            return
        }
    }

    @Test(
        "The first packet comes one transmit window delay after the request",
        arguments: [
            (false, Modulation.le1M, 1_250), (true, .le1M, 2_500), (true, .le2M, 2_500),
            (true, .codedS8, 3_750),
        ]
    )
    func firstAnchor(isAuxiliary: Bool, modulation: Modulation, microseconds: Int64) throws {
        let harness = try LinkHarness()
        let link = try harness.connect {
            $0.isAuxiliary = isAuxiliary
            $0.modulation = modulation
        }
        #expect(harness[link]?.anchor == Instant.zero + .microseconds(microseconds))
        harness.world.run(for: .microseconds(microseconds) + modulation.airTime(pduLength: 2))
        #expect(harness[link]?.peripheral?.lastReceived == harness.world.now)
        #expect(harness[link]?.central?.lastReceived == nil)
        harness.world.run(for: FrameSpace.betweenFrames + modulation.airTime(pduLength: 2))
        #expect(harness[link]?.central?.lastReceived == harness.world.now)
    }

    @Test("The anchor moves by the interval, and the event counter advances")
    func anchors() throws {
        let harness = try LinkHarness()
        let link = try harness.connect(0, 1, .milliseconds(11.25))
        for number in UInt16(0)..<200 {
            let anchor = Instant.zero + .microseconds(1_250 + 11_250 * Int64(number))
            #expect(harness[link]?.anchor == anchor)
            #expect(harness[link]?.eventCounter == number)
            harness.world.run(until: anchor + .milliseconds(1))
        }
    }

    @Test("A canceled link is not joined")
    func abandoned() throws {
        let harness = try LinkHarness()
        let link = try harness.propose()
        harness.world.core.ether.abandonLink(link)
        #expect(harness.join(link) == nil)
        #expect(harness.world.core.ether.linkCount(of: harness.hosts[1].radio) == 0)
    }

    @Test("A link is joined once and not by the central itself")
    func joinedOnce() throws {
        let harness = try LinkHarness(hosts: 3)
        let link = try harness.propose()
        #expect(harness.join(link, 0) == nil)
        #expect(harness.join(link, 1) != nil)
        #expect(harness.join(link, 2) == nil)
    }

    @Test("A controller has no more links than its limit")
    func linkLimit() throws {
        let harness = try LinkHarness(hosts: 4) { $0.linkLimit = 2 }
        let first = try harness.connect(0, 1)
        let second = try harness.propose(0, 2)
        let proposal = try #require(harness[first]).proposal
        let another = harness.world.core.ether.proposeLink(proposal)
        #expect(another == nil)
        harness.world.core.ether.abandonLink(second)
        try harness.connect(0, 2)
        #expect(harness.world.core.ether.linkCount(of: harness.hosts[0].radio) == 2)

        let third = try harness.propose(3, 0)
        #expect(harness.join(third, 0, peer: 3) == nil)
    }

    @Test(
        "A controller uses its configured link limit",
        arguments: [20, 200, 1_919]
    )
    func configuredLimit(limit: Int) {
        var configuration = ControllerConfiguration()
        configuration.linkLimit = limit
        #expect(LinkResources(configuration).linkLimit == limit)
        #expect(RadioSchedule.reservationLimit > limit + 100)
    }

    @Test("Any 200 successive links have different, valid handles")
    func handles() throws {
        let harness = try LinkHarness()
        var seen: [ConnectionHandle] = []
        for _ in 0..<600 {
            let link = try harness.connect()
            seen.append(try harness.handle(link, .central))
            harness.world.core.ether.dropLinks(of: harness.hosts[0].radio)
            harness.world.core.ether.dropLinks(of: harness.hosts[1].radio)
        }
        #expect(seen.allSatisfy { (1...LinkResources.handleLimit).contains($0.rawValue) })
        for window in 0..<(seen.count - 200) {
            #expect(Set(seen[window..<(window + 200)]).count == 200)
        }
        #expect(harness.world.core.ether.links.count == 0)
    }

    @Test("A controller reports the peers of its links")
    func peers() throws {
        let harness = try LinkHarness(hosts: 3)
        try harness.connect(0, 1)
        let ether = harness.world.core.ether
        #expect(ether.hasLink(harness.hosts[0].radio, to: harness.hosts[1].address))
        #expect(ether.hasLink(harness.hosts[1].radio, to: harness.hosts[0].address))
        #expect(!ether.hasLink(harness.hosts[0].radio, to: harness.hosts[2].address))
        #expect(!ether.hasLink(harness.hosts[2].radio, to: harness.hosts[0].address))
        harness.world.core.ether.dropLinks(of: harness.hosts[0].radio)
        let later = harness.world.core.ether
        #expect(!later.hasLink(harness.hosts[0].radio, to: harness.hosts[1].address))
        #expect(later.hasLink(harness.hosts[1].radio, to: harness.hosts[0].address))
    }

    @Test("The central reports the signal strength of the last packet")
    func strength() throws {
        let harness = try LinkHarness()
        let link = try harness.connect()
        let radio = harness.hosts[0].radio
        let handle = try harness.handle(link, .central)
        #expect(harness.world.core.ether.linkRSSI(of: radio, handle) == ReceivedSignal.unavailable)
        harness.world.run(for: .milliseconds(100))
        let near = try #require(harness.world.core.ether.linkRSSI(of: radio, handle))
        #expect((-60 ... -20).contains(near))
        harness.world.core.ether.environment.setLoss(
            80,
            between: radio,
            and: harness.hosts[1].radio
        )
        harness.world.run(for: .milliseconds(100))
        #expect(harness.world.core.ether.linkRSSI(of: radio, handle) == -80)
        let unknown = ConnectionHandle(rawValue: 0x0EFF)
        #expect(harness.world.core.ether.linkRSSI(of: radio, unknown) == nil)
    }

    @Test("A central without a free link reports the limit")
    func noRoom() throws {
        let harness = try LinkHarness(hosts: 3) { $0.linkLimit = 1 }
        let asked = try harness.propose(0, 1)
        let other = try harness.propose(2, 0)
        harness.join(other, 0, peer: 2)
        harness.open(asked)
        harness.world.run(for: .seconds(1))
        let status = harness.hosts[0].events.compactMap { entry -> HCI.ErrorCode? in
            guard case .connectionComplete(let event) = entry.event else { return nil }
            return event.status
        }
        #expect(status == [.success, .connectionLimitExceeded])
        #expect(harness[asked] == nil)
    }

}

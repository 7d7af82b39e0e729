// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Connecting")
struct ConnectingStories {
    private let peer = ModelPeer(1)

    private var absent: ModelPeer {
        var peer = peer
        peer.presence = .absent
        return peer
    }

    @Test(
        "A peer that answers is connected",
        arguments: [ModelProfile.rich, .poor, .shared]
    )
    func connects(_ profile: ModelProfile) throws {
        var bench = Bench.ready(profile, peers: [peer])
        let link = try bench.connect(peer.address)
        let properties = try #require(bench.core.properties(of: link))
        #expect(properties.mtu == 247)
        #expect(properties.parameters.interval == .milliseconds(30))
        #expect(bench.core.linkList.map(\.peer) == [peer.address])
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A peer that refuses to exchange the MTU is connected nevertheless")
    func refusesMTU() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.server.refusesMTU = true
        let link = try bench.connect(peer.address)
        #expect(bench.core.properties(of: link)?.mtu == 23)
    }

    @Test("Connecting to an absent peer ends after its timeout")
    func timesOut() throws {
        var bench = Bench.ready(peers: [absent])
        let dial = bench.dial(peer.address)
        bench.advance(by: .milliseconds(9999))
        #expect(bench.isPending(dial))
        #expect(bench.controller.initiation != nil)
        bench.advance(by: .milliseconds(1))
        #expect(bench.error(dial) == .timedOut)
        #expect(bench.controller.initiation == nil)
        #expect(bench.core.nextDeadline == nil)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A peer that never joins the link is tried a limited number of times")
    func neverJoins() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.presence = .neverJoins
        let dial = bench.dial(peer.address, ConnectOptions(timeout: nil))
        bench.advance(by: Dial.longestRest * (HostCore.establishmentLimit - 1))
        #expect(bench.error(dial) == .failedToConnect(.connectionFailedToBeEstablished))
        let attempts = bench.controller.commands.count { $0 == .leExtendedCreateConnection }
        #expect(attempts == HostCore.establishmentLimit)
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("A peer that never joins the link is given up within the timeout, with the reason")
    func neverJoinsInTime() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.presence = .neverJoins
        let dial = bench.dial(peer.address, ConnectOptions(timeout: .seconds(4)))
        bench.advance(by: .seconds(4))
        #expect(bench.error(dial) == .failedToConnect(.connectionFailedToBeEstablished))
        let attempts = bench.controller.commands.count { $0 == .leExtendedCreateConnection }
        #expect((4...HostCore.establishmentLimit).contains(attempts))
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("A pending connection to a peer that never joins is retried at longer intervals")
    func neverJoinsThoughAwaited() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.presence = .neverJoins
        let dial = bench.dial(peer.address, .whenAvailable)
        bench.advance(by: .seconds(100))
        #expect(bench.isPending(dial))
        let attempts = bench.controller.commands.count { $0 == .leExtendedCreateConnection }
        // Rests are random, of 2 s on average.
        #expect((30...90).contains(attempts))
        bench.controller.peers[peer.address]?.presence = .connectable
        bench.advance(by: Dial.longestPendingRest)
        #expect(throws: Never.self) { try bench.link(of: dial) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A peer that joins the second link is connected")
    func joinsLater() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.presence = .neverJoins
        let dial = bench.dial(peer.address)
        bench.drive(atMost: 3)
        bench.controller.peers[peer.address]?.presence = .connectable
        bench.advance(by: Dial.firstRest)
        #expect(throws: Never.self) { try bench.link(of: dial) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A second connection request for a peer is refused")
    func alreadyConnecting() throws {
        var bench = Bench.ready(peers: [absent])
        let first = bench.dial(peer.address)
        let second = bench.dial(peer.address, .whenAvailable)
        #expect(bench.error(second) == .alreadyConnecting)
        bench.controller.peers[peer.address]?.presence = .connectable
        bench.drive()
        bench.controller.meet()
        bench.drive()
        #expect(throws: Never.self) { try bench.link(of: first) }
        let third = bench.dial(peer.address)
        #expect(bench.error(third) == .alreadyConnecting)
    }

    @Test("A connection request that is canceled at any packet leaves no state", arguments: 0..<16)
    func cancelled(afterPackets count: Int) throws {
        var bench = Bench.ready(peers: [peer])
        let dial = bench.dial(peer.address)
        bench.drive(atMost: count)
        let isConnected = bench.result(dial) != nil
        bench.core.cancelDial(dial, now: bench.now)
        bench.advance(by: .seconds(5))
        #expect(bench.controller.violations.isEmpty)
        #expect(bench.core.linkList.isEmpty == !isConnected)
        guard !isConnected else { return }
        #expect(bench.isPending(dial), "a cancelled dial was told of")
        #expect(bench.controller.links.isEmpty)
        #expect(throws: Never.self) { try bench.connect(peer.address) }
    }

    @Test("A connection request after a canceled one gets the link", arguments: 0..<12)
    func redialled(afterPackets count: Int) throws {
        var bench = Bench.ready(peers: [absent])
        let first = bench.dial(peer.address)
        bench.drive()
        bench.core.cancelDial(first, now: bench.now)
        let second = bench.dial(peer.address)
        bench.drive(atMost: count)
        bench.controller.peers[peer.address]?.presence = .connectable
        bench.controller.meet()
        bench.advance(by: .seconds(9))
        #expect(bench.isPending(first))
        #expect(throws: Never.self) { try bench.link(of: second) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A link that arrives during a cancellation goes to the request that is still pending")
    func connectedWhileCancelling() throws {
        var bench = Bench.ready(peers: [absent])
        let first = bench.dial(peer.address)
        bench.drive()
        // The controller found the peer just before the cancellation arrived.
        bench.controller.peers[peer.address]?.presence = .connectable
        bench.controller.meet()
        bench.core.cancelDial(first, now: bench.now)
        let second = bench.dial(peer.address)
        bench.advance(by: .seconds(3))
        #expect(bench.isPending(first))
        #expect(throws: Never.self) { try bench.link(of: second) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test(
        "A connection request during a disconnection waits for its end",
        arguments: [true, false]
    )
    func redialledWhileParting(isDirect: Bool) throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        let end = bench.ask(.disconnect, of: link)
        let dial = bench.dial(peer.address, isDirect ? ConnectOptions() : .whenAvailable)
        let again = bench.dial(peer.address)
        #expect(bench.error(again) == .alreadyConnecting)
        bench.advance(by: .seconds(3))
        #expect(throws: Never.self) { try bench.answer(end) }
        #expect(try bench.link(of: dial) != link)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A direct request that waits for the end of a link fails with the controller")
    func controllerFailsWhileParting() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        _ = bench.ask(.disconnect, of: link)
        let dial = bench.dial(peer.address)
        bench.loseTransport()
        guard case .adapter? = bench.error(dial) else { throw Bench.UnexpectedAnswer() }
    }

    @Test("A link without a connection request is ended")
    func unexpectedLink() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.beginLink(to: peer.address)
        bench.drive()
        #expect(bench.controller.links.isEmpty)
        #expect(bench.core.linkList.isEmpty)
        #expect(throws: Never.self) { try bench.connect(peer.address) }
    }

    @Test("A refused connection request fails with the reason")
    func refused() {
        var bench = Bench.ready(peers: [peer])
        bench.controller.refusals = [
            .leExtendedCreateConnection: .unsupportedFeatureOrParameterValue
        ]
        let dial = bench.dial(peer.address)
        bench.advance(by: .seconds(5))
        #expect(bench.error(dial) == .failedToConnect(.unsupportedFeatureOrParameterValue))
    }

    @Test("A connection request that the controller ignores fails, and the host stays ready")
    func mute() {
        var bench = Bench.ready(peers: [peer])
        bench.controller.muteCommands = [.leExtendedCreateConnection]
        let dial = bench.dial(peer.address)
        bench.advance(by: .seconds(11))
        #expect(bench.error(dial) != nil)
        #expect(bench.core.state == .ready)
    }

    @Test("A direct connection request requires a controller that is ready")
    func notStarted() {
        var bench = Bench(peers: [peer])
        let dial = bench.dial(peer.address)
        #expect(bench.error(dial) == .adapter(.notStarted))
    }

    @Test("A pending connection to a peer that stays silent gets no link")
    func silentPeer() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.isSilent = true
        let dial = bench.dial(peer.address, .whenAvailable)
        bench.advance(by: .seconds(31))
        if case .success(.link(let link, _))? = bench.result(dial) {
            Issue.record("link \(link.rawValue) is of no use")
        }
        // The link that replaced the first one ends the same way, and the next one succeeds.
        bench.controller.peers[peer.address]?.isSilent = false
        // A rest follows each failure, the second up to twice as long.
        bench.advance(by: .seconds(30) + Dial.firstRest * 3)
        #expect(throws: Never.self) { try bench.link(of: dial) }
    }
}

@Suite("Pending connections")
struct StandingDialStories {
    private func peers(_ presence: ModelPeer.Presence, count: Int) -> [ModelPeer] {
        (1...count).map { number in
            var peer = ModelPeer(number)
            peer.presence = presence
            return peer
        }
    }

    @Test("A pending connection before the start waits for the controller")
    func beforeStart() throws {
        let peer = ModelPeer(1)
        var bench = Bench(peers: [peer])
        let dial = bench.dial(peer.address, .whenAvailable)
        #expect(bench.isPending(dial))
        bench.open()
        bench.drive()
        #expect(throws: Never.self) { try bench.link(of: dial) }
    }

    @Test("A pending connection survives a controller failure", arguments: [true, false])
    func acrossReset(isEstablishing: Bool) throws {
        let peer = ModelPeer(1)
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.presence = isEstablishing ? .connectable : .absent
        bench.controller.keepsPackets = true
        let dial = bench.dial(peer.address, .whenAvailable)
        bench.drive()
        #expect(bench.controller.links.isEmpty == !isEstablishing)
        bench.controller.send(.hardwareError(.init(code: 7)))
        bench.drive()
        #expect(bench.isPending(dial))
        bench.controller.keepsPackets = false
        bench.controller.peers[peer.address]?.presence = .connectable
        bench.controller.restart()
        bench.advance(by: .seconds(1))
        #expect(throws: Never.self) { try bench.link(of: dial) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A pending connection never times out")
    func hoursLater() throws {
        let peers = peers(.absent, count: 1)
        var bench = Bench.ready(peers: peers)
        let dial = bench.dial(peers[0].address, .whenAvailable)
        bench.advance(by: .seconds(7200))
        #expect(bench.isPending(dial))
        bench.controller.peers[peers[0].address]?.presence = .connectable
        bench.controller.meet()
        bench.drive()
        #expect(throws: Never.self) { try bench.link(of: dial) }
    }

    @Test(
        "More pending connections than the Filter Accept List holds all succeed in the end",
        arguments: [ModelProfile.rich, .poor]
    )
    func manyDials(_ profile: ModelProfile) throws {
        let peers = peers(.absent, count: 12)
        var bench = Bench.ready(profile, peers: peers)
        let dials = peers.map { bench.dial($0.address, .whenAvailable) }
        bench.drive()
        for peer in peers.reversed() {
            bench.controller.peers[peer.address]?.presence = .connectable
            bench.controller.meet()
            bench.advance(by: .seconds(4))
        }
        bench.advance(by: .seconds(60))
        for dial in dials { #expect(throws: Never.self) { try bench.link(of: dial) } }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Direct and pending connections do not block each other")
    func mixed() throws {
        let peers = peers(.absent, count: 4)
        var bench = Bench.ready(peers: peers)
        let standing = peers.dropLast().map { bench.dial($0.address, .whenAvailable) }
        let direct = bench.dial(peers[3].address)
        bench.advance(by: .seconds(1))
        bench.controller.peers[peers[3].address]?.presence = .connectable
        bench.advance(by: .seconds(8))
        #expect(throws: Never.self) { try bench.link(of: direct) }
        for peer in peers { bench.controller.peers[peer.address]?.presence = .connectable }
        bench.controller.meet()
        bench.advance(by: .seconds(10))
        for dial in standing { #expect(throws: Never.self) { try bench.link(of: dial) } }
        #expect(bench.controller.violations.isEmpty)
    }
}

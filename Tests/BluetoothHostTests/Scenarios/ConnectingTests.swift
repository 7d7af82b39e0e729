// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Connecting")
struct ConnectingTests {
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
        var harness = Harness.ready(profile, peers: [peer])
        let link = try harness.connect(peer.address)
        let properties = try #require(harness.core.properties(of: link))
        #expect(properties.mtu == 247)
        #expect(properties.parameters.interval == .milliseconds(30))
        #expect(harness.core.linkList.map(\.peer) == [peer.address])
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The PHY that the application reads becomes a property of the link")
    func readPHY() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.phy = .le2M
        let link = try harness.connect(peer.address)
        _ = harness.ask(.readPHY, of: link)
        harness.drive()
        let phy = harness.core.properties(of: link)?.phy
        #expect(phy == LinkPHY(transmit: .le2M, receive: .le2M))
    }

    @Test("The PHY of a link is known if the controller also listened on LE Coded")
    func codedPHY() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.phy = .leCoded
        var options = ConnectOptions()
        options.parameters.phys = [.le1M, .leCoded]
        let request = harness.requestConnection(peer.address, options)
        harness.drive()
        let link = try harness.link(of: request)
        let phy = harness.core.properties(of: link)?.phy
        #expect(phy == LinkPHY(transmit: .leCoded, receive: .leCoded))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The PHY of a link is known if the peer advertised on LE 2M")
    func fastPHY() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.phy = .le2M
        let link = try harness.connect(peer.address)
        let phy = harness.core.properties(of: link)?.phy
        #expect(phy == LinkPHY(transmit: .le2M, receive: .le2M))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A peer that refuses to exchange the MTU is connected nevertheless")
    func refusesMTU() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.server.refusesMTU = true
        let link = try harness.connect(peer.address)
        #expect(harness.core.properties(of: link)?.mtu == 23)
    }

    @Test("A connection request to an absent peer fails after the timeout of the request")
    func timesOut() throws {
        var harness = Harness.ready(peers: [absent])
        let pending = harness.requestConnection(peer.address)
        harness.advance(by: .milliseconds(9999))
        #expect(harness.isPending(pending))
        #expect(harness.controller.initiation != nil)
        harness.advance(by: .milliseconds(1))
        #expect(harness.error(pending) == .timedOut)
        #expect(harness.controller.initiation == nil)
        #expect(harness.core.nextDeadline == nil)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A direct connection that is never established is attempted a limited number of times")
    func neverEstablished() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.presence = .neverEstablished
        let pending = harness.requestConnection(peer.address, ConnectOptions(timeout: nil))
        harness.advance(by: PendingConnection.longestBackoff * (HostCore.establishmentLimit - 1))
        #expect(harness.error(pending) == .failedToConnect(.connectionFailedToBeEstablished))
        let attempts = harness.controller.commands.count { $0 == .leExtendedCreateConnection }
        #expect(attempts == HostCore.establishmentLimit)
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("A direct connection that is never established fails within the timeout, with the reason")
    func neverEstablishedInTime() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.presence = .neverEstablished
        let pending = harness.requestConnection(peer.address, ConnectOptions(timeout: .seconds(4)))
        harness.advance(by: .seconds(4))
        #expect(harness.error(pending) == .failedToConnect(.connectionFailedToBeEstablished))
        let attempts = harness.controller.commands.count { $0 == .leExtendedCreateConnection }
        #expect((4...HostCore.establishmentLimit).contains(attempts))
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("A pending connection that fails to be established is retried at growing intervals")
    func neverEstablishedWhilePending() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.presence = .neverEstablished
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        harness.advance(by: .seconds(100))
        #expect(harness.isPending(pending))
        let attempts = harness.controller.commands.count { $0 == .leExtendedCreateConnection }
        // Back-offs are random, and last 2 s on average.
        #expect((30...90).contains(attempts))
        harness.controller.peers[peer.address]?.presence = .connectable
        harness.advance(by: PendingConnection.longestPendingBackoff)
        #expect(throws: Never.self) { try harness.link(of: pending) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A peer is connected if the second attempt is established")
    func establishedLater() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.presence = .neverEstablished
        let pending = harness.requestConnection(peer.address)
        harness.drive(atMost: 3)
        harness.controller.peers[peer.address]?.presence = .connectable
        harness.advance(by: PendingConnection.firstBackoff)
        #expect(throws: Never.self) { try harness.link(of: pending) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A second connection request for a peer is refused")
    func alreadyConnecting() throws {
        var harness = Harness.ready(peers: [absent])
        let first = harness.requestConnection(peer.address)
        let second = harness.requestConnection(peer.address, .whenAvailable)
        #expect(harness.error(second) == .alreadyConnecting)
        harness.controller.peers[peer.address]?.presence = .connectable
        harness.drive()
        harness.controller.connectIfPossible()
        harness.drive()
        #expect(throws: Never.self) { try harness.link(of: first) }
        let third = harness.requestConnection(peer.address)
        #expect(harness.error(third) == .alreadyConnecting)
    }

    @Test("A connection request canceled after any packet leaves no state", arguments: 0..<16)
    func cancelled(afterPackets count: Int) throws {
        var harness = Harness.ready(peers: [peer])
        let pending = harness.requestConnection(peer.address)
        harness.drive(atMost: count)
        let isConnected = harness.result(pending) != nil
        harness.core.cancelConnectionRequest(pending, now: harness.now)
        harness.advance(by: .seconds(5))
        #expect(harness.controller.violations.isEmpty)
        #expect(harness.core.linkList.isEmpty == !isConnected)
        guard !isConnected else { return }
        #expect(harness.isPending(pending), "A canceled connection request gets no result")
        #expect(harness.controller.links.isEmpty)
        #expect(throws: Never.self) { try harness.connect(peer.address) }
    }

    @Test("A connection request after a canceled request gets the link", arguments: 0..<12)
    func requestedAgain(afterPackets count: Int) throws {
        var harness = Harness.ready(peers: [absent])
        let first = harness.requestConnection(peer.address)
        harness.drive()
        harness.core.cancelConnectionRequest(first, now: harness.now)
        let second = harness.requestConnection(peer.address)
        harness.drive(atMost: count)
        harness.controller.peers[peer.address]?.presence = .connectable
        harness.controller.connectIfPossible()
        harness.advance(by: .seconds(9))
        #expect(harness.isPending(first))
        #expect(throws: Never.self) { try harness.link(of: second) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A link that arrives during a cancellation goes to the request that is still pending")
    func connectedWhileCancelling() throws {
        var harness = Harness.ready(peers: [absent])
        let first = harness.requestConnection(peer.address)
        harness.drive()
        // The controller found the peer just before the cancellation arrived.
        harness.controller.peers[peer.address]?.presence = .connectable
        harness.controller.connectIfPossible()
        harness.core.cancelConnectionRequest(first, now: harness.now)
        let second = harness.requestConnection(peer.address)
        harness.advance(by: .seconds(3))
        #expect(harness.isPending(first))
        #expect(throws: Never.self) { try harness.link(of: second) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "A connection request during a disconnection waits until the link has ended",
        arguments: [true, false]
    )
    func requestedAgainDuringDisconnection(isDirect: Bool) throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        let end = harness.ask(.disconnect, of: link)
        let pending = harness.requestConnection(
            peer.address,
            isDirect ? ConnectOptions() : .whenAvailable
        )
        let again = harness.requestConnection(peer.address)
        #expect(harness.error(again) == .alreadyConnecting)
        harness.advance(by: .seconds(3))
        #expect(throws: Never.self) { try harness.answer(end) }
        #expect(try harness.link(of: pending) != link)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A direct request that waits for the end of a link fails if the transport closes")
    func transportClosesDuringDisconnection() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        _ = harness.ask(.disconnect, of: link)
        let pending = harness.requestConnection(peer.address)
        harness.loseTransport()
        guard case .adapter? = harness.error(pending) else { throw Harness.UnexpectedAnswer() }
    }

    @Test("A link without a connection request is disconnected")
    func unexpectedLink() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.beginLink(to: peer.address)
        harness.drive()
        #expect(harness.controller.links.isEmpty)
        #expect(harness.core.linkList.isEmpty)
        #expect(throws: Never.self) { try harness.connect(peer.address) }
    }

    @Test("A refused connection request fails with the reason")
    func refused() {
        var harness = Harness.ready(peers: [peer])
        harness.controller.refusals = [
            .leExtendedCreateConnection: .unsupportedFeatureOrParameterValue
        ]
        let pending = harness.requestConnection(peer.address)
        harness.advance(by: .seconds(5))
        #expect(harness.error(pending) == .failedToConnect(.unsupportedFeatureOrParameterValue))
    }

    @Test("A connection request that the controller ignores fails, and the host stays ready")
    func mute() {
        var harness = Harness.ready(peers: [peer])
        harness.controller.muteCommands = [.leExtendedCreateConnection]
        let pending = harness.requestConnection(peer.address)
        harness.advance(by: .seconds(11))
        #expect(harness.error(pending) != nil)
        #expect(harness.core.state == .ready)
    }

    @Test("A direct connection request requires a controller that is ready")
    func notStarted() {
        var harness = Harness(peers: [peer])
        let pending = harness.requestConnection(peer.address)
        #expect(harness.error(pending) == .adapter(.notStarted))
    }

    @Test("A pending connection gets no link while its peer is silent, and a link afterward")
    func silentPeer() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.isSilent = true
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        harness.advance(by: .seconds(31))
        if case .success(.link(let link, _))? = harness.result(pending) {
            Issue.record("The host reported link \(link.rawValue) to a silent peer")
        }
        // The link that replaced the first link ends in the same way, and the next link succeeds.
        harness.controller.peers[peer.address]?.isSilent = false
        // A back-off follows each failure, and the second can be twice as long as the first.
        harness.advance(by: .seconds(30) + PendingConnection.firstBackoff * 3)
        #expect(throws: Never.self) { try harness.link(of: pending) }
    }
}

@Suite("Pending connections")
struct PendingConnectionTests {
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
        var harness = Harness(peers: [peer])
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        #expect(harness.isPending(pending))
        harness.open()
        harness.drive()
        #expect(throws: Never.self) { try harness.link(of: pending) }
    }

    @Test("A pending connection survives a controller failure", arguments: [true, false])
    func acrossReset(isEstablishing: Bool) throws {
        let peer = ModelPeer(1)
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.presence = isEstablishing ? .connectable : .absent
        harness.controller.keepsPackets = true
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        harness.drive()
        #expect(harness.controller.links.isEmpty == !isEstablishing)
        harness.controller.send(.hardwareError(.init(code: 7)))
        harness.drive()
        #expect(harness.isPending(pending))
        harness.controller.keepsPackets = false
        harness.controller.peers[peer.address]?.presence = .connectable
        harness.controller.restart()
        harness.advance(by: .seconds(1))
        #expect(throws: Never.self) { try harness.link(of: pending) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A pending connection never times out")
    func hoursLater() throws {
        let peers = peers(.absent, count: 1)
        var harness = Harness.ready(peers: peers)
        let pending = harness.requestConnection(peers[0].address, .whenAvailable)
        harness.advance(by: .seconds(7200))
        #expect(harness.isPending(pending))
        harness.controller.peers[peers[0].address]?.presence = .connectable
        harness.controller.connectIfPossible()
        harness.drive()
        #expect(throws: Never.self) { try harness.link(of: pending) }
    }

    @Test(
        "All pending connections succeed, even if the Filter Accept List cannot hold them all",
        arguments: [ModelProfile.rich, .poor]
    )
    func manyConnectionRequests(_ profile: ModelProfile) throws {
        let peers = peers(.absent, count: 12)
        var harness = Harness.ready(profile, peers: peers)
        let connectionRequests = peers.map { harness.requestConnection($0.address, .whenAvailable) }
        harness.drive()
        for peer in peers.reversed() {
            harness.controller.peers[peer.address]?.presence = .connectable
            harness.controller.connectIfPossible()
            harness.advance(by: .seconds(4))
        }
        harness.advance(by: .seconds(60))
        for pending in connectionRequests {
            #expect(throws: Never.self) { try harness.link(of: pending) }
        }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Direct and pending connections do not block each other")
    func mixed() throws {
        let peers = peers(.absent, count: 4)
        var harness = Harness.ready(peers: peers)
        let pending = peers.dropLast().map {
            harness.requestConnection($0.address, .whenAvailable)
        }
        let direct = harness.requestConnection(peers[3].address)
        harness.advance(by: .seconds(1))
        harness.controller.peers[peers[3].address]?.presence = .connectable
        harness.advance(by: .seconds(8))
        #expect(throws: Never.self) { try harness.link(of: direct) }
        for peer in peers { harness.controller.peers[peer.address]?.presence = .connectable }
        harness.controller.connectIfPossible()
        harness.advance(by: .seconds(10))
        for pending in pending { #expect(throws: Never.self) { try harness.link(of: pending) } }
        #expect(harness.controller.violations.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Ends of links, requests and hosts")
struct EndingStories {
    private let peer = ModelPeer(1)

    private func connected(_ profile: ModelProfile = .rich) throws -> (Bench, LinkIdentifier) {
        var bench = Bench.ready(profile, peers: [peer])
        let link = try bench.connect(peer.address)
        return (bench, link)
    }

    private func ask(_ bench: inout Bench, _ link: LinkIdentifier) -> [RequestIdentifier] {
        Exploration.requests().map { bench.ask($0, of: link) }
    }

    @Test("Losing the link at any packet of an exploration ends every request", arguments: 0..<64)
    func linkLost(atPacket count: Int) throws {
        var (bench, link) = try connected(.poor)
        let requests = ask(&bench, link)
        bench.drive(atMost: count)
        bench.controller.dropLink(to: peer.address, .connectionTimeout)
        bench.drive()
        #expect(bench.unfinished(requests).isEmpty)
        for request in requests where bench.error(request) != nil {
            #expect(bench.error(request) == .disconnected(.connectionTimeout))
        }
        #expect(bench.ends[link] == [.disconnected(.connectionTimeout)])
        #expect(bench.core.links.isEmpty)
        #expect(throws: Never.self) { try bench.connect(peer.address) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test(
        "Closing the transport at any packet of an exploration ends every request",
        arguments: 0..<64
    )
    func transportLost(atPacket count: Int) throws {
        var (bench, link) = try connected(.poor)
        let requests = ask(&bench, link)
        bench.drive(atMost: count)
        bench.closeTransport()
        bench.performActions()
        #expect(bench.unfinished(requests).isEmpty)
        for request in requests where bench.error(request) != nil {
            #expect(bench.error(request) == .adapter(.transport("closed")))
        }
        bench.controller.forget()
        bench.advance(by: .seconds(1))
        #expect(throws: Never.self) { try bench.connect(peer.address) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test(
        "Closing the transport while connecting fails direct requests only",
        arguments: 0..<16,
        [true, false]
    )
    func transportLost(whileDialling count: Int, isStanding: Bool) throws {
        var bench = Bench.ready(peers: [peer])
        let dial = bench.dial(peer.address, isStanding ? .whenAvailable : ConnectOptions())
        bench.drive(atMost: count)
        let isConnected = bench.result(dial) != nil
        bench.closeTransport()
        bench.performActions()
        #expect((bench.result(dial) != nil) == (isConnected || !isStanding))
        bench.controller.forget()
        bench.advance(by: .seconds(5))
        #expect(bench.result(dial) != nil)
        #expect(bench.core.linkList.count == (isStanding && !isConnected ? 1 : 0))
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Shutting down ends each connection request once", arguments: 0..<16)
    func shutDown(atPacket count: Int) {
        let peers = (1...3).map { ModelPeer($0) }
        var bench = Bench.ready(peers: peers)
        let dials = peers.map { bench.dial($0.address) }
        bench.drive(atMost: count)
        bench.core.shutDown(now: bench.now)
        bench.performActions()
        #expect(bench.unfinished(dials).isEmpty, "\(dials.map { bench.completions[$0] ?? [] })")
    }

    @Test("A second disconnect is allowed, and disconnecting ends pending requests")
    func disconnect() throws {
        var (bench, link) = try connected()
        bench.controller.keepsPackets = true
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let first = bench.ask(.disconnect, of: link)
        let second = bench.ask(.disconnect, of: link)
        bench.drive()
        #expect(bench.error(read) == .disconnected(.connectionTerminatedByLocalHost))
        for request in [first, second] {
            #expect(throws: Never.self) { try bench.answer(request) }
        }
        #expect(bench.controller.commands.count { $0 == .disconnect } == 1)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A refused disconnection fails with the reason, and may be requested again")
    func refusedDisconnect() throws {
        var (bench, link) = try connected()
        bench.controller.refusals = [.disconnect: .commandDisallowed]
        let first = bench.ask(.disconnect, of: link)
        bench.drive()
        #expect(bench.error(first) == .controller(.commandDisallowed))
        bench.controller.refusals = [:]
        let second = bench.ask(.disconnect, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(second) }
    }

    @Test("An unwanted link is ended once the controller permits it")
    func refusedAtFirst() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.refusals = [.disconnect: .controllerBusy]
        bench.controller.beginLink(to: peer.address)
        bench.advance(by: .seconds(10))
        #expect(bench.controller.links.count == 1)
        bench.controller.refusals = [:]
        bench.advance(by: LinkCore.disconnectRest)
        #expect(bench.controller.links.isEmpty)
        #expect(throws: Never.self) { try bench.connect(peer.address) }
    }

    @Test("A disconnection that is accepted and never occurs ends with a timeout")
    func endlessDisconnect() throws {
        var (bench, link) = try connected()
        bench.controller.endlessCommands = [.disconnect]
        let request = bench.ask(.disconnect, of: link)
        bench.advance(by: .seconds(60))
        #expect(bench.result(request) != nil)
    }

    @Test("A link whose end was missed is removed if the controller does not know it")
    func missedEnd() throws {
        var (bench, link) = try connected()
        bench.controller.dropLink(to: peer.address, .connectionTimeout)
        _ = bench.controller.nextPacket()
        let request = bench.ask(.disconnect, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(request) }
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("An old disconnection does not end the new link with the same handle")
    func reusedHandle() throws {
        var profile = ModelProfile.rich
        profile.commandCount = 3
        var (bench, link) = try connected(profile)
        let handle = try #require(bench.controller.handle(of: peer.address))
        // The peer disconnects just before the command arrives, and its handle is reused at once.
        let request = bench.ask(.disconnect, of: link)
        let answers = [bench.controller.nextPacket(), bench.controller.nextPacket()]
        bench.feed(try #require(answers[1]))
        #expect(throws: Never.self) { try bench.answer(request) }
        let dial = bench.dial(peer.address)
        bench.controller.reuse(handle)
        bench.drive()
        let refusal = HCI.Event.commandStatus(
            .init(
                status: .unknownConnectionIdentifier,
                allowedPackets: 1,
                opcode: .disconnect
            )
        )
        bench.feed(refusal.packet.h4Bytes)
        bench.drive()
        #expect(throws: Never.self) { try bench.link(of: dial) }
        #expect(bench.core.linkList.count == 1)
    }

    @Test("Shutting down ends every pending request once")
    func shutdown() throws {
        let stranger = ModelPeer(2)
        var (bench, link) = try connected()
        bench.controller.keepsPackets = true
        bench.controller.muteCommands = [.readRSSI]
        var requests = ask(&bench, link)
        requests.append(bench.ask(.readRSSI, of: link))
        requests.append(bench.ask(.readPHY, of: link))
        requests.append(bench.scan())
        requests.append(bench.dial(stranger.address))
        requests.append(bench.dial(ModelPeer(3).address, .whenAvailable))
        bench.performActions()
        bench.core.shutDown(now: bench.now)
        bench.advance(by: .seconds(3))
        #expect(bench.core.state == .closed)
        #expect(bench.unfinished(requests).isEmpty)
        #expect(bench.ends[link]?.count == 1)
        #expect(bench.core.nextDeadline == nil)
        #expect(bench.states.last == .closed)
        #expect(!bench.isOpen)
        let late = [
            bench.dial(peer.address), bench.scan(), bench.ask(.readRSSI, of: link),
            bench.dial(peer.address, .whenAvailable),
        ]
        for request in late { #expect(bench.error(request) == .closed) }
    }

    @Test("No input restarts a host that was shut down", arguments: 0..<24)
    func deadIsDead(atPacket count: Int) {
        var bench = Bench(peers: [peer])
        bench.open()
        bench.drive(atMost: count)
        bench.core.shutDown(now: bench.now)
        bench.drive()
        bench.core.transportOpened(now: bench.now)
        bench.feed([0x04, 0x10, 0x01, 0x05])
        bench.feed([0x55])
        bench.core.deadlinePassed(now: bench.now + .seconds(100))
        bench.core.transportClosed("late", now: bench.now)
        bench.performActions()
        #expect(bench.states.last == .closed)
        #expect(bench.states.count { $0 == .closed } == 1)
        #expect(bench.openCount == 1)
    }

    @Test("A shutdown disconnects every link")
    func goodbye() throws {
        var (bench, link) = try connected()
        bench.core.shutDown(now: bench.now)
        bench.drive()
        #expect(bench.controller.links.isEmpty)
        #expect(bench.core.state == .closed)
        #expect(bench.ends[link] == [.disconnected(.connectionTerminatedByLocalHost)])
    }
}

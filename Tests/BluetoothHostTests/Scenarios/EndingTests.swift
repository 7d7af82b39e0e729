// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Ends of links, requests and hosts")
struct EndingTests {
    private let peer = ModelPeer(1)

    private func connected(_ profile: ModelProfile = .rich) throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(profile, peers: [peer])
        let link = try harness.connect(peer.address)
        return (harness, link)
    }

    private func ask(_ harness: inout Harness, _ link: LinkIdentifier) -> [RequestIdentifier] {
        Exploration.requests().map { harness.ask($0, of: link) }
    }

    @Test("A host that is shut down stops its scans and connection requests")
    func stopsBeforeShutdown() {
        var harness = Harness.ready(.rich)
        let scan = harness.scan()
        let request = harness.requestConnection(peer.address, .whenAvailable)
        harness.drive()
        #expect(harness.controller.isScanning && harness.controller.initiation != nil)
        harness.core.shutDown(now: harness.now)
        harness.drive()
        #expect(harness.core.state == .closed)
        #expect(harness.error(scan) == .closed && harness.error(request) == .closed)
        #expect(!harness.controller.isScanning && harness.controller.initiation == nil)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Losing the link at any packet of an exploration ends every request", arguments: 0..<64)
    func linkLost(atPacket count: Int) throws {
        var (harness, link) = try connected(.poor)
        let requests = ask(&harness, link)
        harness.drive(atMost: count)
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        #expect(harness.unfinished(requests).isEmpty)
        for request in requests where harness.error(request) != nil {
            #expect(harness.error(request) == .disconnected(.connectionTimeout))
        }
        #expect(harness.ends[link] == [.disconnected(.connectionTimeout)])
        #expect(harness.core.links.isEmpty)
        #expect(throws: Never.self) { try harness.connect(peer.address) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "Closing the transport at any packet of an exploration ends every request",
        arguments: 0..<64
    )
    func transportLost(atPacket count: Int) throws {
        var (harness, link) = try connected(.poor)
        let requests = ask(&harness, link)
        harness.drive(atMost: count)
        harness.closeTransport()
        harness.performActions()
        #expect(harness.unfinished(requests).isEmpty)
        for request in requests where harness.error(request) != nil {
            #expect(harness.error(request) == .adapter(.transport("closed")))
        }
        harness.controller.forget()
        harness.advance(by: .seconds(1))
        #expect(throws: Never.self) { try harness.connect(peer.address) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "Closing the transport while connecting fails direct requests only",
        arguments: 0..<16,
        [true, false]
    )
    func transportLost(whileConnecting count: Int, isPending: Bool) throws {
        var harness = Harness.ready(peers: [peer])
        let pending = harness.requestConnection(
            peer.address,
            isPending ? .whenAvailable : ConnectOptions()
        )
        harness.drive(atMost: count)
        let isConnected = harness.result(pending) != nil
        harness.closeTransport()
        harness.performActions()
        #expect((harness.result(pending) != nil) == (isConnected || !isPending))
        harness.controller.forget()
        harness.advance(by: .seconds(5))
        #expect(harness.result(pending) != nil)
        #expect(harness.core.linkList.count == (isPending && !isConnected ? 1 : 0))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Shutting down ends each connection request once", arguments: 0..<16)
    func shutDown(atPacket count: Int) {
        let peers = (1...3).map { ModelPeer($0) }
        var harness = Harness.ready(peers: peers)
        let connectionRequests = peers.map { harness.requestConnection($0.address) }
        harness.drive(atMost: count)
        harness.core.shutDown(now: harness.now)
        harness.performActions()
        #expect(
            harness.unfinished(connectionRequests).isEmpty,
            "\(connectionRequests.map { harness.completions[$0] ?? [] })"
        )
    }

    @Test("A second disconnect is allowed, and disconnecting ends pending requests")
    func disconnect() throws {
        var (harness, link) = try connected()
        harness.controller.keepsPackets = true
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        let first = harness.ask(.disconnect, of: link)
        let second = harness.ask(.disconnect, of: link)
        harness.drive()
        #expect(harness.error(read) == .disconnected(.connectionTerminatedByLocalHost))
        for request in [first, second] {
            #expect(throws: Never.self) { try harness.answer(request) }
        }
        #expect(harness.controller.commands.count { $0 == .disconnect } == 1)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A refused disconnection fails with the reason, and may be requested again")
    func refusedDisconnect() throws {
        var (harness, link) = try connected()
        harness.controller.refusals = [.disconnect: .commandDisallowed]
        let first = harness.ask(.disconnect, of: link)
        harness.drive()
        #expect(harness.error(first) == .controller(.commandDisallowed))
        harness.controller.refusals = [:]
        let second = harness.ask(.disconnect, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(second) }
    }

    @Test("An unwanted link is ended once the controller permits it")
    func refusedAtFirst() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.refusals = [.disconnect: .controllerBusy]
        harness.controller.beginLink(to: peer.address)
        harness.advance(by: .seconds(10))
        #expect(harness.controller.links.count == 1)
        harness.controller.refusals = [:]
        harness.advance(by: LinkCore.disconnectRest)
        #expect(harness.controller.links.isEmpty)
        #expect(throws: Never.self) { try harness.connect(peer.address) }
    }

    @Test("A request to disconnect ends even if the disconnection never occurs")
    func endlessDisconnect() throws {
        var (harness, link) = try connected()
        harness.controller.endlessCommands = [.disconnect]
        let request = harness.ask(.disconnect, of: link)
        harness.advance(by: .seconds(60))
        #expect(harness.result(request) != nil)
    }

    @Test("A link whose end was missed is removed if the controller does not know the link")
    func missedEnd() throws {
        var (harness, link) = try connected()
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        _ = harness.controller.nextPacket()
        let request = harness.ask(.disconnect, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(request) }
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("An old disconnection does not end the new link with the same handle")
    func reusedHandle() throws {
        var profile = ModelProfile.rich
        profile.commandCount = 3
        var (harness, link) = try connected(profile)
        let handle = try #require(harness.controller.handle(of: peer.address))
        // The peer disconnects just before the command arrives, and a new link reuses the handle.
        let request = harness.ask(.disconnect, of: link)
        let answers = [harness.controller.nextPacket(), harness.controller.nextPacket()]
        harness.feed(try #require(answers[1]))
        #expect(throws: Never.self) { try harness.answer(request) }
        let pending = harness.requestConnection(peer.address)
        harness.controller.reuse(handle)
        harness.drive()
        let refusal = HCI.Event.commandStatus(
            .init(
                status: .unknownConnectionIdentifier,
                allowedPackets: 1,
                opcode: .disconnect
            )
        )
        harness.feed(refusal.packet.h4Bytes)
        harness.drive()
        #expect(throws: Never.self) { try harness.link(of: pending) }
        #expect(harness.core.linkList.count == 1)
    }

    @Test("Shutting down ends every pending request once")
    func shutdown() throws {
        let absentPeer = ModelPeer(2)
        var (harness, link) = try connected()
        harness.controller.keepsPackets = true
        harness.controller.muteCommands = [.readRSSI]
        var requests = ask(&harness, link)
        requests.append(harness.ask(.readRSSI, of: link))
        requests.append(harness.ask(.readPHY, of: link))
        requests.append(harness.scan())
        requests.append(harness.requestConnection(absentPeer.address))
        requests.append(harness.requestConnection(ModelPeer(3).address, .whenAvailable))
        harness.performActions()
        harness.core.shutDown(now: harness.now)
        harness.advance(by: .seconds(3))
        #expect(harness.core.state == .closed)
        #expect(harness.unfinished(requests).isEmpty)
        #expect(harness.ends[link]?.count == 1)
        #expect(harness.core.nextDeadline == nil)
        #expect(harness.states.last == .closed)
        #expect(!harness.isOpen)
        let late = [
            harness.requestConnection(peer.address), harness.scan(),
            harness.ask(.readRSSI, of: link),
            harness.requestConnection(peer.address, .whenAvailable),
        ]
        for request in late { #expect(harness.error(request) == .closed) }
    }

    @Test("No input restarts a host that was shut down", arguments: 0..<24)
    func noRestart(atPacket count: Int) {
        var harness = Harness(peers: [peer])
        harness.open()
        harness.drive(atMost: count)
        harness.core.shutDown(now: harness.now)
        harness.drive()
        harness.core.transportOpened(now: harness.now)
        harness.feed([0x04, 0x10, 0x01, 0x05])
        harness.feed([0x55])
        harness.core.deadlinePassed(now: harness.now + .seconds(100))
        harness.core.transportClosed("late", now: harness.now)
        harness.performActions()
        #expect(harness.states.last == .closed)
        #expect(harness.states.count { $0 == .closed } == 1)
        #expect(harness.openCount == 1)
    }

    @Test(
        "A controller that fails during a shutdown gets no packet after the transport is closed",
        arguments: [HCI.Event.hardwareError(.init(code: 0x42)).packet.h4Bytes, [0x55]]
    )
    func failureDuringShutdown(_ bytes: [UInt8]) throws {
        var (harness, _) = try connected()
        harness.core.shutDown(now: harness.now)
        harness.performActions()
        harness.core.receive(bytes[...])
        while harness.core.receiveNextPacket(now: harness.now) {}
        var actions: [HostAction] = []
        harness.core.takeActions(into: &actions)
        let closings = actions.indices.filter { index in
            if case .closeTransport = actions[index] { true } else { false }
        }
        #expect(closings == [actions.count - 1], "\(actions)")
        #expect(harness.core.state == .closed)
    }

    @Test("A shutdown disconnects every link")
    func disconnectsEveryLink() throws {
        var (harness, link) = try connected()
        harness.core.shutDown(now: harness.now)
        harness.drive()
        #expect(harness.controller.links.isEmpty)
        #expect(harness.core.state == .closed)
        #expect(harness.ends[link] == [.disconnected(.connectionTerminatedByLocalHost)])
    }
}

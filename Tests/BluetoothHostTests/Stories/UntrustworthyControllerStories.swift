// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Untrustworthy controllers and peers")
struct UntrustworthyControllerStories {
    private let peer = ModelPeer(1)
    private let other = ModelPeer(2)

    // MARK: While the controller is set up

    @Test("A link that is reported during a reset is ignored, and pending connections continue")
    func connectionDuringReset() throws {
        var bench = Bench.ready()
        let dial = bench.dial(peer.address, .whenAvailable)
        bench.drive()
        bench.controller.send(.hardwareError(.init(code: 1)))
        bench.controller.sendConnectionComplete(.success, Self.strayHandle, peer.address)
        bench.drive()
        #expect(bench.states == [.ready, .resetting(.hardwareError(1)), .ready])
        #expect(bench.core.linkList.isEmpty)
        bench.controller.peers[peer.address] = peer
        bench.controller.meet()
        bench.drive()
        #expect(throws: Never.self) { try bench.link(of: dial) }
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("No input after the shutdown restarts the host")
    func bytesAfterShutDown() {
        var bench = Bench.ready()
        bench.core.shutDown(now: bench.now)
        bench.performActions()
        let hardwareError = HCI.Event.hardwareError(.init(code: 1)).packet.h4Bytes
        bench.feed(hardwareError + [0x55, 0xAA])
        bench.advance(by: .seconds(60))
        #expect(bench.states == [.ready, .closed])
        #expect(bench.openCount == 1)
    }

    // MARK: Links that do not end

    @Test("A disconnection completes even if the controller never reports it")
    func endThatNeverComes() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.endlessCommands = [.disconnect]
        let request = bench.ask(.disconnect, of: link)
        bench.drive()
        #expect(bench.isPending(request))
        bench.advance(by: LinkCore.disconnectLimit)
        #expect(throws: Never.self) { try bench.answer(request) }
        #expect(bench.ends[link] == [.disconnected(.connectionTimeout)])
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("An unwanted link is removed even if the controller refuses to end it")
    func refusedEndOfUnwantedLink() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.refusals[.disconnect] = .commandDisallowed
        bench.controller.beginLink(to: peer.address)
        bench.drive()
        #expect(bench.core.linkList.count == 1)
        bench.advance(by: LinkCore.disconnectLimit)
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("Waiting commands of a link that ends are not sent to the next with its handle")
    func commandsOfEndedLink() throws {
        var bench = Bench.ready(peers: [peer, other])
        let link = try bench.connect(peer.address)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.muteCommands = [.leReadPHY]
        let phy = bench.ask(.readPHY, of: link)
        let rssi = bench.ask(.readRSSI, of: link)
        let version = bench.ask(.readRemoteVersion, of: link)
        let end = bench.ask(.disconnect, of: link)
        bench.controller.dropLink(to: peer.address, .connectionTimeout)
        bench.drive()
        #expect(bench.ends[link] == [.disconnected(.connectionTimeout)])
        #expect(bench.error(rssi) == .disconnected(.connectionTimeout))
        #expect(bench.error(version) == .disconnected(.connectionTimeout))
        #expect(throws: Never.self) { try bench.answer(end) }

        bench.controller.links[handle] = ModelLink(peer: other.address)
        bench.controller.sendConnectionComplete(.success, handle, other.address)
        bench.advance(by: .seconds(3))
        #expect(bench.unfinished([phy, rssi, version, end]).isEmpty)
        #expect(!bench.controller.commands.contains(.readRSSI))
        #expect(!bench.controller.commands.contains(.readRemoteVersionInformation))
    }

    // MARK: Connection requests

    @Test("Requests that expire together each end once, even if no command is sent")
    func expiryWithoutCommands() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        var options = ConnectOptions()
        options.timeout = .seconds(1)
        let dials = (10..<30).map { bench.dial(ModelPeer($0).address, options) }
        bench.drive()
        bench.controller.muteCommands = [.readRSSI]
        for _ in 0...CommandQueueLimits.pendingLimit { _ = bench.ask(.readRSSI, of: link) }
        bench.advance(by: .seconds(1))
        #expect(bench.unfinished(dials).isEmpty)
    }

    @Test("A peer that never answers gets no link, even without a timeout")
    func silentPeer() throws {
        var peer = peer
        peer.isSilent = true
        var bench = Bench.ready(peers: [peer])
        var options = ConnectOptions()
        options.timeout = nil
        let dial = bench.dial(peer.address, options)
        bench.advance(by: .seconds(31))
        #expect(bench.error(dial) == .timedOut)
        #expect(bench.core.linkList.isEmpty)
    }

    @Test("A pending connection continues after its peer did not answer")
    func silentPeerThatIsAwaited() throws {
        var bench = Bench.ready(peers: [peer])
        bench.controller.peers[peer.address]?.isSilent = true
        let dial = bench.dial(peer.address, .whenAvailable)
        bench.advance(by: .seconds(29))
        #expect(bench.isPending(dial))
        bench.controller.peers[peer.address]?.isSilent = false
        bench.advance(by: .seconds(10))
        #expect(throws: Never.self) { try bench.link(of: dial) }
    }

    // MARK: Peers

    @Test("Endless requests for other parameters are granted one at a time")
    func parameterFlood() throws {
        var bench = Bench.ready(peers: [peer, other])
        _ = try bench.connect(peer.address)
        bench.controller.endlessCommands = [.leConnectionUpdate]
        let request = ConnectionParametersRequest(
            intervalMinimum: 24,
            intervalMaximum: 40,
            peripheralLatency: 0,
            supervisionTimeout: 500
        )
        for _ in 0..<300 {
            bench.controller.requestParameters(request, from: peer.address)
            bench.drive()
        }
        #expect(bench.controller.commands.count { $0 == .leConnectionUpdate } == 1)
        let answers = bench.controller.peers[peer.address]?.signalling ?? []
        let accepted = answers.filter { $0.parameters.first == 0 }
        #expect(answers.count == 300)
        #expect(accepted.count == 1)
        #expect(throws: Never.self) { try bench.connect(other.address) }
    }

    @Test("A refused change of parameters permits the next one")
    func refusedParameters() throws {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        bench.controller.refusals[.leConnectionUpdate] = .unsupportedRemoteFeature
        let request = ConnectionParametersRequest(
            intervalMinimum: 24,
            intervalMaximum: 40,
            peripheralLatency: 0,
            supervisionTimeout: 500
        )
        bench.controller.requestParameters(request, from: peer.address)
        bench.drive()
        bench.controller.refusals = [:]
        let update = ConnectionUpdate(
            intervalMinimum: .milliseconds(30),
            intervalMaximum: .milliseconds(50)
        )
        let own = bench.ask(.updateParameters(update), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(own) }
    }

    @Test("An impossible MTU is clamped to the valid range", arguments: [-1, 0, 70_000])
    func impossibleMTU(_ mtu: Int) throws {
        var bench = Bench.ready(peers: [peer]) { $0.attMTU = mtu }
        #expect(throws: Never.self) { try bench.connect(peer.address) }
    }

    private static let strayHandle = ConnectionHandle(rawValue: 0x0123)
}

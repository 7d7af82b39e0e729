// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Untrustworthy controllers and peers")
struct UntrustworthyControllerTests {
    private let peer = ModelPeer(1)
    private let other = ModelPeer(2)

    // MARK: Reset and shutdown

    @Test("A link that is reported during a reset is ignored, and pending connections continue")
    func connectionDuringReset() throws {
        var harness = Harness.ready()
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        harness.drive()
        harness.controller.send(.hardwareError(.init(code: 1)))
        harness.controller.sendConnectionComplete(.success, Self.strayHandle, peer.address)
        harness.drive()
        #expect(harness.states == [.ready, .resetting(.hardwareError(1)), .ready])
        #expect(harness.core.linkList.isEmpty)
        harness.controller.peers[peer.address] = peer
        harness.controller.connectIfPossible()
        harness.drive()
        #expect(throws: Never.self) { try harness.link(of: pending) }
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("No input after the shutdown restarts the host")
    func bytesAfterShutDown() {
        var harness = Harness.ready()
        harness.core.shutDown(now: harness.now)
        harness.performActions()
        let hardwareError = HCI.Event.hardwareError(.init(code: 1)).packet.h4Bytes
        harness.feed(hardwareError + [0x55, 0xAA])
        harness.advance(by: .seconds(60))
        #expect(harness.states == [.ready, .closed])
        #expect(harness.openCount == 1)
    }

    // MARK: Links that do not end

    @Test("A disconnection completes even if the controller never reports it")
    func endThatNeverComes() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.endlessCommands = [.disconnect]
        let request = harness.ask(.disconnect, of: link)
        harness.drive()
        #expect(harness.isPending(request))
        harness.advance(by: LinkCore.disconnectLimit)
        #expect(throws: Never.self) { try harness.answer(request) }
        #expect(harness.ends[link] == [.disconnected(.connectionTimeout)])
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("An unwanted link is removed even if the controller refuses to end it")
    func refusedEndOfUnwantedLink() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.refusals[.disconnect] = .commandDisallowed
        harness.controller.beginLink(to: peer.address)
        harness.drive()
        #expect(harness.core.linkList.count == 1)
        harness.advance(by: LinkCore.disconnectLimit)
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("Waiting commands of an ended link are not sent to a new link with the same handle")
    func commandsOfEndedLink() throws {
        var harness = Harness.ready(peers: [peer, other])
        let link = try harness.connect(peer.address)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.muteCommands = [.leReadPHY]
        let phy = harness.ask(.readPHY, of: link)
        let rssi = harness.ask(.readRSSI, of: link)
        let version = harness.ask(.readRemoteVersion, of: link)
        let end = harness.ask(.disconnect, of: link)
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        #expect(harness.ends[link] == [.disconnected(.connectionTimeout)])
        #expect(harness.error(rssi) == .disconnected(.connectionTimeout))
        #expect(harness.error(version) == .disconnected(.connectionTimeout))
        #expect(throws: Never.self) { try harness.answer(end) }

        harness.controller.links[handle] = ModelLink(peer: other.address)
        harness.controller.sendConnectionComplete(.success, handle, other.address)
        harness.advance(by: .seconds(3))
        #expect(harness.unfinished([phy, rssi, version, end]).isEmpty)
        #expect(!harness.controller.commands.contains(.readRSSI))
        #expect(!harness.controller.commands.contains(.readRemoteVersionInformation))
    }

    // MARK: Connection requests

    @Test("Requests that expire together each end once, even if no command can be sent")
    func expiryWithoutCommands() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        var options = ConnectOptions()
        options.timeout = .seconds(1)
        let connectionRequests = (10..<30).map {
            harness.requestConnection(ModelPeer($0).address, options)
        }
        harness.drive()
        harness.controller.muteCommands = [.readRSSI]
        for _ in 0...CommandQueueLimits.pendingLimit { _ = harness.ask(.readRSSI, of: link) }
        harness.advance(by: .seconds(1))
        #expect(harness.unfinished(connectionRequests).isEmpty)
    }

    @Test("A connection to a peer that never answers fails, even without a timeout")
    func silentPeer() throws {
        var peer = peer
        peer.isSilent = true
        var harness = Harness.ready(peers: [peer])
        var options = ConnectOptions()
        options.timeout = nil
        let pending = harness.requestConnection(peer.address, options)
        harness.advance(by: .seconds(31))
        #expect(harness.error(pending) == .timedOut)
        #expect(harness.core.linkList.isEmpty)
    }

    @Test("A pending connection continues if its peer does not answer at first")
    func silentPeerThatIsAwaited() throws {
        var harness = Harness.ready(peers: [peer])
        harness.controller.peers[peer.address]?.isSilent = true
        let pending = harness.requestConnection(peer.address, .whenAvailable)
        harness.advance(by: .seconds(29))
        #expect(harness.isPending(pending))
        harness.controller.peers[peer.address]?.isSilent = false
        harness.advance(by: .seconds(10))
        #expect(throws: Never.self) { try harness.link(of: pending) }
    }

    // MARK: Peers

    @Test("Only one of many parameter requests is accepted while an update is in progress")
    func parameterFlood() throws {
        var harness = Harness.ready(peers: [peer, other])
        _ = try harness.connect(peer.address)
        harness.controller.endlessCommands = [.leConnectionUpdate]
        let request = ConnectionParametersRequest(
            intervalMinimum: 24,
            intervalMaximum: 40,
            peripheralLatency: 0,
            supervisionTimeout: 500
        )
        for _ in 0..<300 {
            harness.controller.requestParameters(request, from: peer.address)
            harness.drive()
        }
        #expect(harness.controller.commands.count { $0 == .leConnectionUpdate } == 1)
        let answers = harness.controller.peers[peer.address]?.signaling ?? []
        let accepted = answers.filter { $0.parameters.first == 0 }
        #expect(answers.count == 300)
        #expect(accepted.count == 1)
        #expect(throws: Never.self) { try harness.connect(other.address) }
    }

    @Test("After the controller refuses a parameter update, the next update succeeds")
    func refusedParameters() throws {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        harness.controller.refusals[.leConnectionUpdate] = .unsupportedRemoteFeature
        let request = ConnectionParametersRequest(
            intervalMinimum: 24,
            intervalMaximum: 40,
            peripheralLatency: 0,
            supervisionTimeout: 500
        )
        harness.controller.requestParameters(request, from: peer.address)
        harness.drive()
        harness.controller.refusals = [:]
        let update = ConnectionUpdate(
            intervalMinimum: .milliseconds(30),
            intervalMaximum: .milliseconds(50)
        )
        let own = harness.ask(.updateParameters(update), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(own) }
    }

    @Test("A host that is configured with an impossible MTU connects", arguments: [-1, 0, 70_000])
    func impossibleMTU(_ mtu: Int) throws {
        var harness = Harness.ready(peers: [peer]) { $0.attMTU = mtu }
        #expect(throws: Never.self) { try harness.connect(peer.address) }
    }

    private static let strayHandle = ConnectionHandle(rawValue: 0x0123)
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// Links on which the host is the peripheral.
@Suite("Links as the peripheral")
struct PeripheralTests {
    private let phone = ModelPeer(7)
    private let request = ConnectionUpdate(
        intervalMinimum: .milliseconds(100),
        intervalMaximum: .milliseconds(125),
        peripheralLatency: 2
    )

    /// Returns a harness with a link that the phone has made.
    private func connected(
        _ profile: ModelProfile = .rich,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Harness {
        var harness = Harness.ready(profile, peers: [phone], configure: configure)
        _ = harness.advertise(AdvertisingTests.lamp)
        harness.drive()
        harness.controller.acceptConnection(from: phone.address)
        harness.drive()
        return harness
    }

    /// A controller that supports the Link Layer's Connection Parameters Request procedure.
    private var skilled: ModelProfile {
        var profile = ModelProfile.rich
        profile.leFeatures.insert(.connectionParametersRequest)
        return profile
    }

    private func answerRequest(_ harness: inout Harness, accepting: Bool) throws {
        let sent = try #require(harness.controller.peers[phone.address]?.signaling.last)
        #expect(sent.code == .connectionParameterUpdateRequest)
        let answer = Signaling.ConnectionParametersResponse(isAccepted: accepting)
        let handle = try #require(harness.controller.handle(of: phone.address))
        harness.controller.sendFrame(
            L2CAPFrame.encode(answer.encode(identifier: sent.identifier), on: .signaling),
            on: handle
        )
        harness.drive()
    }

    private func update(_ harness: inout Harness, _ status: HCI.ErrorCode = .success) throws {
        let handle = try #require(harness.controller.handle(of: phone.address))
        harness.controller.send(
            .connectionUpdateComplete(
                .init(
                    status: status,
                    connectionHandle: handle,
                    interval: .init(rawValue: 96),
                    peripheralLatency: 2,
                    supervisionTimeout: .init(rawValue: 500)
                )
            )
        )
        harness.drive()
    }

    @Test("The host exchanges the MTU once, before the first operation")
    func mtuWhenNeeded() throws {
        var harness = try connected()
        let link = try #require(harness.incomingLinks.first).link
        #expect(harness.core.properties(of: link)?.mtu == 23)
        for _ in 1...2 {
            let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
            harness.drive()
            _ = try harness.answer(read)
        }
        let received = try #require(harness.controller.peers[phone.address]?.server.received)
        #expect(received.map(\.opcode) == [.exchangeMTURequest, .readRequest, .readRequest])
        #expect(harness.core.properties(of: link)?.mtu == 247)
    }

    @Test("The MTU is exchanged at once if the configuration requires it")
    func mtuAtOnce() throws {
        let harness = try connected { $0.exchangesMTUAsPeripheral = true }
        let received = try #require(harness.controller.peers[phone.address]?.server.received)
        #expect(received.map(\.opcode) == [.exchangeMTURequest])
    }

    @Test("Other parameters are requested on the signaling channel and take effect")
    func signaling() throws {
        var harness = try connected()
        let link = try #require(harness.incomingLinks.first).link
        let id = harness.ask(.updateParameters(request), of: link)
        harness.drive()
        #expect(!harness.controller.commands.contains(.leConnectionUpdate))
        try answerRequest(&harness, accepting: true)
        #expect(harness.isPending(id))
        try update(&harness)
        guard case .parameters(let parameters) = try harness.answer(id) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(parameters.interval == .milliseconds(120))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A refusal and a missing response fail the request")
    func refused() throws {
        var harness = try connected()
        let link = try #require(harness.incomingLinks.first).link
        let refused = harness.ask(.updateParameters(request), of: link)
        harness.drive()
        try answerRequest(&harness, accepting: false)
        #expect(harness.error(refused) == .controller(.unacceptableConnectionParameters))
        let ignored = harness.ask(.updateParameters(request), of: link)
        let early = harness.ask(.updateParameters(request), of: link)
        #expect(harness.error(early) == .busy)
        harness.advance(by: .seconds(30))
        #expect(harness.error(ignored) == .timedOut)
    }

    @Test("A controller that supports the Link Layer procedure is asked to use it")
    func linkLayer() throws {
        var harness = try connected(skilled)
        let link = try #require(harness.incomingLinks.first).link
        harness.controller.endlessCommands.insert(.leConnectionUpdate)
        let id = harness.ask(.updateParameters(request), of: link)
        harness.drive()
        #expect(harness.controller.commands.contains(.leConnectionUpdate))
        #expect(harness.controller.peers[phone.address]?.signaling.isEmpty == true)
        try update(&harness)
        _ = try harness.answer(id)
    }

    @Test("A request of the central's Link Layer is accepted and takes effect")
    func linkLayerOfCentral() throws {
        var harness = try connected { $0.acceptsParameterRequests = true }
        let link = try #require(harness.incomingLinks.first).link
        let handle = try #require(harness.controller.handle(of: phone.address))
        harness.controller.send(
            .remoteConnectionParameterRequest(
                .init(
                    connectionHandle: handle,
                    intervalMinimum: .init(rawValue: 80),
                    intervalMaximum: .init(rawValue: 100),
                    peripheralLatency: 2,
                    supervisionTimeout: .init(rawValue: 500)
                )
            )
        )
        harness.drive()
        #expect(harness.controller.commands.last == .leRemoteConnectionParameterRequestReply)
        try update(&harness)
        let interval = harness.core.properties(of: link)?.parameters.interval
        #expect(interval == .milliseconds(120))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("The signaling channel is used if the central does not support the procedure")
    func fallback() throws {
        var harness = try connected(skilled)
        let link = try #require(harness.incomingLinks.first).link
        harness.controller.endlessCommands.insert(.leConnectionUpdate)
        let id = harness.ask(.updateParameters(request), of: link)
        harness.drive()
        try update(&harness, .unsupportedRemoteFeature)
        #expect(harness.isPending(id))
        try answerRequest(&harness, accepting: true)
        try update(&harness)
        _ = try harness.answer(id)
    }

    @Test("A failure that arrives after the time limit does not start another request")
    func lateFailure() throws {
        var harness = try connected(skilled)
        let link = try #require(harness.incomingLinks.first).link
        harness.controller.endlessCommands.insert(.leConnectionUpdate)
        let id = harness.ask(.updateParameters(request), of: link)
        harness.drive()
        harness.advance(by: LinkCore.procedureTimeout)
        #expect(harness.error(id) == .timedOut)
        try update(&harness, .unsupportedRemoteFeature)
        #expect(harness.controller.peers[phone.address]?.signaling.isEmpty == true)
    }

    @Test("The signaling channel is used if the controller refuses the command")
    func fallbackFromCommand() throws {
        var harness = try connected(skilled)
        let link = try #require(harness.incomingLinks.first).link
        harness.controller.refusals[.leConnectionUpdate] = .commandDisallowed
        let id = harness.ask(.updateParameters(request), of: link)
        harness.drive()
        try answerRequest(&harness, accepting: true)
        try update(&harness)
        _ = try harness.answer(id)
    }

    @Test("Preferred parameters are requested five seconds after the connection")
    func preferred() throws {
        let request = request
        var harness = try connected { $0.preferredConnectionParameters = request }
        let link = try #require(harness.incomingLinks.first).link
        harness.advance(by: .milliseconds(4_999))
        #expect(harness.controller.peers[phone.address]?.signaling.isEmpty == true)
        harness.advance(by: .milliseconds(1))
        try answerRequest(&harness, accepting: true)
        try update(&harness)
        #expect(harness.core.properties(of: link)?.parameters.peripheralLatency == 2)
    }

    @Test("Preferred parameters are also requested from a bonded central")
    func preferredOfBonded() throws {
        let request = request
        var harness = try Harness.bonded { $0.preferredConnectionParameters = request }
        _ = try harness.acceptEncrypted(Bonded.peer.address)
        harness.advance(by: LinkCore.parameterPause)
        let sent = harness.controller.peers[Bonded.peer.address]?.signaling.map(\.code)
        #expect(sent == [.connectionParameterUpdateRequest])
    }

    @Test(
        "Parameters whose timeout is too short for their latency are refused",
        arguments: [true, false]
    )
    func impossibleParameters(_ isPreferred: Bool) throws {
        let impossible = ConnectionUpdate(
            intervalMinimum: .seconds(1),
            intervalMaximum: .seconds(1),
            peripheralLatency: 30,
            supervisionTimeout: .seconds(32)
        )
        var harness = try connected {
            if isPreferred { $0.preferredConnectionParameters = impossible }
        }
        if isPreferred {
            harness.advance(by: LinkCore.parameterPause)
            #expect(harness.log.contains { $0.contains("no controller accepts") })
        } else {
            let link = try #require(harness.incomingLinks.first).link
            let id = harness.ask(.updateParameters(impossible), of: link)
            #expect(harness.error(id) == .controller(.unacceptableConnectionParameters))
        }
        #expect(harness.controller.peers[phone.address]?.signaling.isEmpty == true)
    }

    @Test("A link that already has the preferred parameters is not changed")
    func alreadyPreferred() throws {
        let fine = ConnectionUpdate(
            intervalMinimum: .milliseconds(20),
            intervalMaximum: .milliseconds(40)
        )
        var harness = try connected { $0.preferredConnectionParameters = fine }
        harness.advance(by: .seconds(60))
        #expect(harness.controller.peers[phone.address]?.signaling.isEmpty == true)
    }

    @Test("A link that fails before its first packet is reported as ended")
    func fallsAtOnce() throws {
        var harness = Harness.ready(peers: [phone])
        _ = harness.advertise(AdvertisingTests.lamp)
        harness.drive()
        harness.controller.acceptConnection(from: phone.address)
        harness.controller.dropLink(to: phone.address, .connectionFailedToBeEstablished)
        harness.drive()
        let link = try #require(harness.incomingLinks.first).link
        #expect(harness.ends[link] == [.disconnected(.connectionFailedToBeEstablished)])
        #expect(harness.controller.setsOnAir.count == 1)
    }

    @Test("Advertising continues if the controller never reports which set led to a link")
    func hiddenTermination() throws {
        var harness = Harness.ready(peers: [phone])
        harness.controller.hidesTerminations = true
        _ = harness.advertise(AdvertisingTests.lamp)
        harness.drive()
        harness.controller.acceptConnection(from: phone.address)
        harness.drive()
        #expect(harness.controller.setsOnAir.isEmpty)
        harness.advance(by: .seconds(2))
        #expect(harness.controller.setsOnAir.count == 1)
    }

    @Test("Pending connections and filtered advertising share the Filter Accept List")
    func acceptList() throws {
        var absent = ModelPeer(1)
        absent.presence = .absent
        var other = ModelPeer(2)
        other.presence = .absent
        var harness = Harness.ready(peers: [absent, other, phone])
        for peer in [absent, other] { _ = harness.requestConnection(peer.address, .whenAvailable) }
        harness.advance(by: .seconds(10))
        #expect(harness.controller.initiation != nil)
        #expect(harness.controller.initiation?.target == nil)
        var closed = AdvertisingTests.lamp
        closed.admission = .connections(from: [phone.address])
        let set = harness.advertise(closed)
        harness.drive()
        #expect(harness.controller.acceptList == [phone.address])
        #expect(harness.controller.setsOnAir.first?.filterPolicy == .connectFiltered)
        harness.advance(by: .seconds(10))
        harness.controller.peers[other.address]?.presence = .connectable
        harness.controller.connectIfPossible()
        harness.advance(by: .seconds(10))
        #expect(harness.controller.handle(of: other.address) != nil)
        harness.core.stopAdvertising(set, now: harness.now)
        harness.advance(by: .seconds(10))
        #expect(harness.controller.setsOnAir.isEmpty)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "A missing response to an advertising command fails only the request",
        arguments: [
            HCI.Opcode.leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress,
            .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable,
        ]
    )
    func mute(opcode: HCI.Opcode) throws {
        var harness = Harness.ready()
        harness.controller.muteCommands = [opcode]
        let set = harness.advertise(AdvertisingTests.lamp)
        harness.advance(by: .seconds(60))
        guard case .failure(let error)? = harness.result(set) else {
            throw Harness.UnexpectedAnswer()
        }
        #expect(error as? AdvertisingError == .unanswered)
        #expect(harness.core.state == .ready)
        #expect(harness.core.nextDeadline == nil)
        harness.controller.muteCommands = []
        let again = harness.advertise(AdvertisingTests.lamp)
        harness.drive()
        _ = try harness.answer(again)
        #expect(harness.controller.setsOnAir.count == 1)
    }

    @Test(
        "A canceled advertising request is withdrawn, even while it is in progress",
        arguments: 0...6
    )
    func cancelled(packets: Int) throws {
        var harness = Harness.ready()
        let set = harness.advertise(AdvertisingTests.lamp)
        harness.drive(atMost: packets)
        harness.core.forgetAdvertisingWaiter(set, now: harness.now)
        harness.drive()
        #expect(harness.controller.setsOnAir.isEmpty)
        #expect(harness.controller.violations.isEmpty)
        #expect(!harness.core.isAdvertising(set))
    }
}

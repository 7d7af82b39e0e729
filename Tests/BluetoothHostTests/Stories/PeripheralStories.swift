// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// The host on links that a Central has made to it.
@Suite("Links as the Peripheral")
struct PeripheralStories {
    private let phone = ModelPeer(7)
    private let wish = ConnectionUpdate(
        intervalMinimum: .milliseconds(100),
        intervalMaximum: .milliseconds(125),
        peripheralLatency: 2
    )

    /// Returns a harness with a link that the phone has made.
    private func connected(
        _ profile: ModelProfile = .rich,
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) throws -> Bench {
        var bench = Bench.ready(profile, peers: [phone], configure: configure)
        _ = bench.advertise(AdvertisingStories.lamp)
        bench.drive()
        bench.controller.acceptConnection(from: phone.address)
        bench.drive()
        return bench
    }

    /// A controller that supports the procedure of the link layer.
    private var skilled: ModelProfile {
        var profile = ModelProfile.rich
        profile.leFeatures.insert(.connectionParametersRequest)
        return profile
    }

    private func answerRequest(_ bench: inout Bench, accepting: Bool) throws {
        let sent = try #require(bench.controller.peers[phone.address]?.signalling.last)
        #expect(sent.code == .connectionParameterUpdateRequest)
        let answer = Signalling.ConnectionParametersResponse(isAccepted: accepting)
        let handle = try #require(bench.controller.handle(of: phone.address))
        bench.controller.sendFrame(
            L2CAPFrame.encode(answer.encode(identifier: sent.identifier), on: .signalling),
            on: handle
        )
        bench.drive()
    }

    private func update(_ bench: inout Bench, _ status: HCI.ErrorCode = .success) throws {
        let handle = try #require(bench.controller.handle(of: phone.address))
        bench.controller.send(
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
        bench.drive()
    }

    @Test("The first operation exchanges the MTU before it, once")
    func mtuWhenNeeded() throws {
        var bench = try connected()
        let link = try #require(bench.incomingLinks.first).link
        #expect(bench.core.properties(of: link)?.mtu == 23)
        for _ in 1...2 {
            let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
            bench.drive()
            _ = try bench.answer(read)
        }
        let received = try #require(bench.controller.peers[phone.address]?.server.received)
        #expect(received.map(\.opcode) == [.exchangeMTURequest, .readRequest, .readRequest])
        #expect(bench.core.properties(of: link)?.mtu == 247)
    }

    @Test("The MTU is exchanged at once if the configuration requires it")
    func mtuAtOnce() throws {
        let bench = try connected { $0.exchangesMTUAsPeripheral = true }
        let received = try #require(bench.controller.peers[phone.address]?.server.received)
        #expect(received.map(\.opcode) == [.exchangeMTURequest])
    }

    @Test("Other parameters are requested on the signaling channel and take effect")
    func signalling() throws {
        var bench = try connected()
        let link = try #require(bench.incomingLinks.first).link
        let id = bench.ask(.updateParameters(wish), of: link)
        bench.drive()
        #expect(!bench.controller.commands.contains(.leConnectionUpdate))
        try answerRequest(&bench, accepting: true)
        #expect(bench.isPending(id))
        try update(&bench)
        guard case .parameters(let parameters) = try bench.answer(id) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(parameters.interval == .milliseconds(120))
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A refusal and a missing response fail the request")
    func refused() throws {
        var bench = try connected()
        let link = try #require(bench.incomingLinks.first).link
        let refused = bench.ask(.updateParameters(wish), of: link)
        bench.drive()
        try answerRequest(&bench, accepting: false)
        #expect(bench.error(refused) == .controller(.unacceptableConnectionParameters))
        let ignored = bench.ask(.updateParameters(wish), of: link)
        let hasty = bench.ask(.updateParameters(wish), of: link)
        #expect(bench.error(hasty) == .busy)
        bench.advance(by: .seconds(30))
        #expect(bench.error(ignored) == .timedOut)
    }

    @Test("A controller that supports the link layer procedure is asked to use it")
    func linkLayer() throws {
        var bench = try connected(skilled)
        let link = try #require(bench.incomingLinks.first).link
        bench.controller.endlessCommands.insert(.leConnectionUpdate)
        let id = bench.ask(.updateParameters(wish), of: link)
        bench.drive()
        #expect(bench.controller.commands.contains(.leConnectionUpdate))
        #expect(bench.controller.peers[phone.address]?.signalling.isEmpty == true)
        try update(&bench)
        _ = try bench.answer(id)
    }

    @Test("The signaling channel is used if the Central does not support the procedure")
    func fallback() throws {
        var bench = try connected(skilled)
        let link = try #require(bench.incomingLinks.first).link
        bench.controller.endlessCommands.insert(.leConnectionUpdate)
        let id = bench.ask(.updateParameters(wish), of: link)
        bench.drive()
        try update(&bench, .unsupportedRemoteFeature)
        #expect(bench.isPending(id))
        try answerRequest(&bench, accepting: true)
        try update(&bench)
        _ = try bench.answer(id)
    }

    @Test("The signaling channel is used if the controller refuses the command")
    func fallbackFromCommand() throws {
        var bench = try connected(skilled)
        let link = try #require(bench.incomingLinks.first).link
        bench.controller.refusals[.leConnectionUpdate] = .commandDisallowed
        let id = bench.ask(.updateParameters(wish), of: link)
        bench.drive()
        try answerRequest(&bench, accepting: true)
        try update(&bench)
        _ = try bench.answer(id)
    }

    @Test("Preferred parameters are requested five seconds after the connection")
    func preferred() throws {
        let wish = wish
        var bench = try connected { $0.preferredConnectionParameters = wish }
        let link = try #require(bench.incomingLinks.first).link
        bench.advance(by: .milliseconds(4_999))
        #expect(bench.controller.peers[phone.address]?.signalling.isEmpty == true)
        bench.advance(by: .milliseconds(1))
        try answerRequest(&bench, accepting: true)
        try update(&bench)
        #expect(bench.core.properties(of: link)?.parameters.peripheralLatency == 2)
    }

    @Test("Preferred parameters are requested from a bonded Central as well")
    func preferredOfBonded() throws {
        let wish = wish
        var bench = try Bench.bonded { $0.preferredConnectionParameters = wish }
        _ = try bench.acceptEncrypted(Bonded.peer.address)
        bench.advance(by: LinkCore.parameterPause)
        let sent = bench.controller.peers[Bonded.peer.address]?.signalling.map(\.code)
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
        var bench = try connected {
            if isPreferred { $0.preferredConnectionParameters = impossible }
        }
        if isPreferred {
            bench.advance(by: LinkCore.parameterPause)
            #expect(bench.log.contains { $0.contains("no controller accepts") })
        } else {
            let link = try #require(bench.incomingLinks.first).link
            let id = bench.ask(.updateParameters(impossible), of: link)
            #expect(bench.error(id) == .controller(.unacceptableConnectionParameters))
        }
        #expect(bench.controller.peers[phone.address]?.signalling.isEmpty == true)
    }

    @Test("A link that already has the preferred parameters is not changed")
    func alreadyPreferred() throws {
        let fine = ConnectionUpdate(
            intervalMinimum: .milliseconds(20),
            intervalMaximum: .milliseconds(40)
        )
        var bench = try connected { $0.preferredConnectionParameters = fine }
        bench.advance(by: .seconds(60))
        #expect(bench.controller.peers[phone.address]?.signalling.isEmpty == true)
    }

    @Test("A link that fails before its first packet is reported as ended")
    func fallsAtOnce() throws {
        var bench = Bench.ready(peers: [phone])
        _ = bench.advertise(AdvertisingStories.lamp)
        bench.drive()
        bench.controller.acceptConnection(from: phone.address)
        bench.controller.dropLink(to: phone.address, .connectionFailedToBeEstablished)
        bench.drive()
        let link = try #require(bench.incomingLinks.first).link
        #expect(bench.ends[link] == [.disconnected(.connectionFailedToBeEstablished)])
        #expect(bench.controller.setsOnAir.count == 1)
    }

    @Test("Advertising continues if the controller never reports which set led to a link")
    func hiddenTermination() throws {
        var bench = Bench.ready(peers: [phone])
        bench.controller.hidesTerminations = true
        _ = bench.advertise(AdvertisingStories.lamp)
        bench.drive()
        bench.controller.acceptConnection(from: phone.address)
        bench.drive()
        #expect(bench.controller.setsOnAir.isEmpty)
        bench.advance(by: .seconds(2))
        #expect(bench.controller.setsOnAir.count == 1)
    }

    @Test("Pending connections and filtered advertising share the Filter Accept List")
    func acceptList() throws {
        var absent = ModelPeer(1)
        absent.presence = .absent
        var other = ModelPeer(2)
        other.presence = .absent
        var bench = Bench.ready(peers: [absent, other, phone])
        for peer in [absent, other] { _ = bench.dial(peer.address, .whenAvailable) }
        bench.advance(by: .seconds(10))
        #expect(bench.controller.initiation != nil)
        #expect(bench.controller.initiation?.target == nil)
        var closed = AdvertisingStories.lamp
        closed.admission = .connections(from: [phone.address])
        let set = bench.advertise(closed)
        bench.drive()
        #expect(bench.controller.acceptList == [phone.address])
        #expect(bench.controller.setsOnAir.first?.filterPolicy == .connectFiltered)
        bench.advance(by: .seconds(10))
        bench.controller.peers[other.address]?.presence = .connectable
        bench.controller.meet()
        bench.advance(by: .seconds(10))
        #expect(bench.controller.handle(of: other.address) != nil)
        bench.core.stopAdvertising(set, now: bench.now)
        bench.advance(by: .seconds(10))
        #expect(bench.controller.setsOnAir.isEmpty)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test(
        "A missing response to an advertising command fails the request only",
        arguments: [
            HCI.Opcode.leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress,
            .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingEnable,
        ]
    )
    func mute(opcode: HCI.Opcode) throws {
        var bench = Bench.ready()
        bench.controller.muteCommands = [opcode]
        let set = bench.advertise(AdvertisingStories.lamp)
        bench.advance(by: .seconds(60))
        guard case .failure(let error)? = bench.result(set) else {
            throw Bench.UnexpectedAnswer()
        }
        #expect(error as? AdvertisingError == .unanswered)
        #expect(bench.core.state == .ready)
        #expect(bench.core.nextDeadline == nil)
        bench.controller.muteCommands = []
        let again = bench.advertise(AdvertisingStories.lamp)
        bench.drive()
        _ = try bench.answer(again)
        #expect(bench.controller.setsOnAir.count == 1)
    }

    @Test(
        "A canceled advertising request is withdrawn, even while it is in progress",
        arguments: 0...6
    )
    func cancelled(packets: Int) throws {
        var bench = Bench.ready()
        let set = bench.advertise(AdvertisingStories.lamp)
        bench.drive(atMost: packets)
        bench.core.forgetAdvertisingWaiter(set, now: bench.now)
        bench.drive()
        #expect(bench.controller.setsOnAir.isEmpty)
        #expect(bench.controller.violations.isEmpty)
        #expect(!bench.core.isAdvertising(set))
    }
}

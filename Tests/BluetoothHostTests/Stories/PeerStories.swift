// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Requests of peers")
struct PeerStories {
    private let peer = ModelPeer(1)
    private let slow = ConnectionParametersRequest(
        intervalMinimum: 80,
        intervalMaximum: 160,
        peripheralLatency: 4,
        supervisionTimeout: 600
    )

    private func connected(
        accepting: Bool = true,
        _ profile: ModelProfile = .rich
    ) throws -> (Bench, LinkIdentifier) {
        var bench = Bench.ready(profile, peers: [peer]) { $0.acceptsParameterRequests = accepting }
        let link = try bench.connect(peer.address)
        return (bench, link)
    }

    private func isAccepted(_ bench: Bench) throws -> Bool {
        let packet = try #require(bench.controller.peers[peer.address]?.signalling.last)
        return try Signalling.ConnectionParametersResponse(parsing: packet.parameters).isAccepted
    }

    @Test(
        "The host decides on a request for other parameters on the signaling channel",
        arguments: [true, false]
    )
    func signalling(accepting: Bool) throws {
        var (bench, link) = try connected(accepting: accepting, .poor)
        bench.controller.requestParameters(slow, from: peer.address)
        bench.drive()
        #expect(try isAccepted(bench) == accepting)
        let interval = bench.core.properties(of: link)?.parameters.interval
        #expect(interval == (accepting ? .milliseconds(200) : .milliseconds(30)))
        #expect(bench.controller.commands.contains(.leConnectionUpdate) == accepting)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("Impossible parameters are refused")
    func invalid() throws {
        var (bench, _) = try connected()
        var request = slow
        request.supervisionTimeout = 10
        bench.controller.requestParameters(request, from: peer.address)
        bench.drive()
        #expect(try !isAccepted(bench))
        #expect(!bench.controller.commands.contains(.leConnectionUpdate))
    }

    @Test(
        "The host decides on a link layer request for other parameters",
        arguments: [true, false],
        [600, 10]
    )
    func linkLayer(accepting: Bool, timeout: UInt16) throws {
        var (bench, _) = try connected(accepting: accepting)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.send(
            .remoteConnectionParameterRequest(
                .init(
                    connectionHandle: handle,
                    intervalMinimum: .init(rawValue: slow.intervalMinimum),
                    intervalMaximum: .init(rawValue: slow.intervalMaximum),
                    peripheralLatency: slow.peripheralLatency,
                    supervisionTimeout: .init(rawValue: timeout)
                )
            )
        )
        bench.drive()
        let isAccepted = accepting && timeout == 600
        #expect(
            bench.controller.commands.last
                == (isAccepted
                    ? .leRemoteConnectionParameterRequestReply
                    : .leRemoteConnectionParameterRequestNegativeReply)
        )
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A request for an unknown key is refused at once")
    func longTermKey() throws {
        var (bench, _) = try connected()
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.send(
            .longTermKeyRequest(
                .init(connectionHandle: handle, random: 5, encryptedDiversifier: 6)
            )
        )
        bench.drive()
        #expect(bench.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A peer that floods the signaling channel gets a limited number of responses")
    func flood() throws {
        var (bench, link) = try connected(.poor)
        let handle = try #require(bench.controller.handle(of: peer.address))
        bench.controller.keepsPackets = true
        for number in 1...200 {
            let echo = Signalling.Packet(
                code: .init(rawValue: 0x08),
                identifier: UInt8(number),
                parameters: []
            )
            let frame = L2CAPFrame.encode(echo.encode(), on: .signalling)
            bench.controller.sendFrame(frame, on: handle)
        }
        bench.drive()
        bench.controller.keepsPackets = false
        bench.controller.releasePackets(100, on: handle)
        bench.drive()
        let answers = bench.controller.peers[peer.address]?.signalling.count ?? 0
        #expect((1...(LogicalLink.answerLimit + 9)).contains(answers))
        let read = bench.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(read) }
        #expect(bench.controller.violations.isEmpty)
    }

    private func connected(_ profile: ModelProfile) throws -> (Bench, LinkIdentifier) {
        try connected(accepting: true, profile)
    }
}

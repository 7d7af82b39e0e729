// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Requests of peers")
struct PeerTests {
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
    ) throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(profile, peers: [peer]) {
            $0.acceptsParameterRequests = accepting
        }
        let link = try harness.connect(peer.address)
        return (harness, link)
    }

    private func isAccepted(_ harness: Harness) throws -> Bool {
        let packet = try #require(harness.controller.peers[peer.address]?.signaling.last)
        return try Signaling.ConnectionParametersResponse(parsing: packet.parameters).isAccepted
    }

    @Test(
        "The host decides on a request for other parameters on the signaling channel",
        arguments: [true, false]
    )
    func signaling(accepting: Bool) throws {
        var (harness, link) = try connected(accepting: accepting, .poor)
        harness.controller.requestParameters(slow, from: peer.address)
        harness.drive()
        #expect(try isAccepted(harness) == accepting)
        let interval = harness.core.properties(of: link)?.parameters.interval
        #expect(interval == (accepting ? .milliseconds(200) : .milliseconds(30)))
        #expect(harness.controller.commands.contains(.leConnectionUpdate) == accepting)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test(
        "A central limits the supervision timeout that a peripheral requests",
        arguments: [(nil, 6_000), (3, 3_000), (2, 3_000), (8, 6_000)] as [(Int64?, Int64)]
    )
    func limitedTimeout(limit: Int64?, milliseconds: Int64) throws {
        var harness = Harness.ready(.poor, peers: [peer]) {
            $0.supervisionTimeoutLimit = limit.map { .seconds($0) }
        }
        let link = try harness.connect(peer.address)
        harness.controller.requestParameters(slow, from: peer.address)
        harness.drive()
        #expect(try isAccepted(harness))
        let parameters = harness.core.properties(of: link)?.parameters
        #expect(parameters?.interval == .milliseconds(200))
        #expect(parameters?.peripheralLatency == 4)
        #expect(parameters?.supervisionTimeout == .milliseconds(milliseconds))
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("Impossible parameters are refused")
    func invalid() throws {
        var (harness, _) = try connected()
        var request = slow
        request.supervisionTimeout = 10
        harness.controller.requestParameters(request, from: peer.address)
        harness.drive()
        #expect(try !isAccepted(harness))
        #expect(!harness.controller.commands.contains(.leConnectionUpdate))
    }

    @Test(
        "The host decides on a Link Layer request for other parameters",
        arguments: [true, false],
        [600, 10]
    )
    func linkLayer(accepting: Bool, timeout: UInt16) throws {
        var (harness, _) = try connected(accepting: accepting)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.send(
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
        harness.drive()
        let isAccepted = accepting && timeout == 600
        #expect(
            harness.controller.commands.last
                == (isAccepted
                    ? .leRemoteConnectionParameterRequestReply
                    : .leRemoteConnectionParameterRequestNegativeReply)
        )
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A request for an unknown key is refused at once")
    func longTermKey() throws {
        var (harness, _) = try connected()
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.send(
            .longTermKeyRequest(
                .init(connectionHandle: handle, random: 5, encryptedDiversifier: 6)
            )
        )
        harness.drive()
        #expect(harness.controller.commands.last == .leLongTermKeyRequestNegativeReply)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A peer that floods the signaling channel gets a limited number of responses")
    func flood() throws {
        var (harness, link) = try connected(.poor)
        let handle = try #require(harness.controller.handle(of: peer.address))
        harness.controller.keepsPackets = true
        for number in 1...200 {
            let echo = Signaling.Packet(
                code: .init(rawValue: 0x08),
                identifier: UInt8(number),
                parameters: []
            )
            let frame = L2CAPFrame.encode(echo.encode(), on: .signaling)
            harness.controller.sendFrame(frame, on: handle)
        }
        harness.drive()
        harness.controller.keepsPackets = false
        harness.controller.releasePackets(100, on: handle)
        harness.drive()
        let answers = harness.controller.peers[peer.address]?.signaling.count ?? 0
        #expect((1...(LogicalLink.answerLimit + 9)).contains(answers))
        let read = harness.ask(.gatt(.read(ModelServer.readableHandle)), of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(read) }
        #expect(harness.controller.violations.isEmpty)
    }

    private func connected(_ profile: ModelProfile) throws -> (Harness, LinkIdentifier) {
        try connected(accepting: true, profile)
    }
}

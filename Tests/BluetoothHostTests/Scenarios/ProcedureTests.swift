// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

@testable import BluetoothHost

/// A request to the controller about a link.
struct Procedure: Sendable, CustomTestStringConvertible {
    let request: LinkRequest
    let opcode: HCI.Opcode
    /// Whether an event ends the procedure, rather than the response to the command.
    var endsWithEvent = false

    var testDescription: String { "\(opcode)" }

    static let fastInterval = ConnectionUpdate(
        intervalMinimum: .microseconds(7500),
        intervalMaximum: .milliseconds(15)
    )

    static let all =
        [
            Procedure(request: .readRSSI, opcode: .readRSSI),
            Procedure(request: .readPHY, opcode: .leReadPHY),
            Procedure(request: .setDataLength(bytes: 251), opcode: .leSetDataLength),
        ] + ending

    static let ending = [
        Procedure(
            request: .setPHY(transmit: .le2M, receive: .le2M),
            opcode: .leSetPHY,
            endsWithEvent: true
        ),
        Procedure(
            request: .updateParameters(fastInterval),
            opcode: .leConnectionUpdate,
            endsWithEvent: true
        ),
        Procedure(
            request: .readRemoteVersion,
            opcode: .readRemoteVersionInformation,
            endsWithEvent: true
        ),
    ]
}

@Suite("Procedures of a link")
struct ProcedureTests {
    private let peer = ModelPeer(1)

    private func connected() throws -> (Harness, LinkIdentifier) {
        var harness = Harness.ready(peers: [peer])
        let link = try harness.connect(peer.address)
        return (harness, link)
    }

    @Test("Each procedure succeeds with the result from the controller")
    func succeed() throws {
        var (harness, link) = try connected()
        let requests = Procedure.all.map { harness.ask($0.request, of: link) }
        harness.drive()
        var answers: [String] = []
        for request in requests { answers.append("\(try harness.answer(request))") }
        #expect(answers[0].contains("-48"))
        let properties = try #require(harness.core.properties(of: link))
        #expect(properties.phy == LinkPHY(transmit: .le2M, receive: .le2M))
        #expect(properties.parameters.interval == .milliseconds(15))
        #expect(properties.dataLength.transmitBytes == 251)
        #expect(answers[5].contains("1521"), "The company identifier is that of the model's peers")
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("A refused procedure fails, and may be requested again", arguments: Procedure.all)
    func refused(_ procedure: Procedure) throws {
        var (harness, link) = try connected()
        harness.controller.refusals = [procedure.opcode: .controllerBusy]
        let first = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(harness.error(first) == .controller(.controllerBusy))
        harness.controller.refusals = [:]
        let second = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(second) }
    }

    @Test(
        "A procedure without a response fails, and may be requested again",
        arguments: Procedure.all
    )
    func mute(_ procedure: Procedure) throws {
        var (harness, link) = try connected()
        harness.controller.muteCommands = [procedure.opcode]
        let first = harness.ask(procedure.request, of: link)
        harness.advance(by: .seconds(5))
        #expect(harness.error(first) == .commandTimedOut)
        harness.controller.muteCommands = []
        let second = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(second) }
        #expect(harness.core.state == .ready)
    }

    @Test(
        "A procedure that the peer refuses fails with the peer's reason",
        arguments: Procedure.ending
    )
    func refusedByPeer(_ procedure: Procedure) throws {
        var (harness, link) = try connected()
        harness.controller.badEnds = [procedure.opcode: .unsupportedRemoteFeature]
        let request = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(harness.error(request) == .controller(.unsupportedRemoteFeature))
    }

    @Test(
        "A second procedure is refused as busy, and a procedure that never ends times out",
        arguments: Procedure.ending
    )
    func endless(_ procedure: Procedure) throws {
        var (harness, link) = try connected()
        harness.controller.endlessCommands = [procedure.opcode]
        let first = harness.ask(procedure.request, of: link)
        harness.drive()
        let second = harness.ask(procedure.request, of: link)
        #expect(harness.error(second) == .busy)
        harness.advance(by: LinkCore.procedureTimeout)
        #expect(harness.error(first) == .timedOut)
        harness.controller.endlessCommands = []
        let third = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(third) }
    }

    @Test("A canceled procedure stays busy until it ends", arguments: Procedure.ending)
    func cancelled(_ procedure: Procedure) throws {
        var (harness, link) = try connected()
        let first = harness.ask(procedure.request, of: link)
        harness.core.cancelRequest(first, of: link, now: harness.now)
        let second = harness.ask(procedure.request, of: link)
        #expect(harness.error(second) == .busy)
        harness.drive()
        #expect(harness.isPending(first), "A canceled request gets no result")
        let third = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(throws: Never.self) { try harness.answer(third) }
    }

    @Test("A procedure ends if the link ends at any packet", arguments: Procedure.all, 0..<4)
    func linkLost(_ procedure: Procedure, afterPackets count: Int) throws {
        var (harness, link) = try connected()
        harness.controller.endlessCommands = [procedure.opcode]
        let request = harness.ask(procedure.request, of: link)
        harness.drive(atMost: count)
        harness.controller.dropLink(to: peer.address, .connectionTimeout)
        harness.drive()
        #expect(harness.result(request) != nil)
        if procedure.endsWithEvent {
            #expect(harness.error(request) == .disconnected(.connectionTimeout))
        }
        #expect(harness.ends[link] == [.disconnected(.connectionTimeout)])
    }

    @Test(
        "A procedure fails if the link ends before the command arrives",
        arguments: Procedure.all
    )
    func linkLostBefore(_ procedure: Procedure) throws {
        var (harness, link) = try connected()
        harness.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
        let request = harness.ask(procedure.request, of: link)
        harness.drive()
        #expect(harness.error(request) != nil)
        let late = harness.ask(procedure.request, of: link)
        #expect(harness.error(late) == .disconnected(.unknownConnectionIdentifier))
    }

    @Test("An unsupported command is not sent to the controller", arguments: Procedure.all)
    func unsupported(_ procedure: Procedure) throws {
        var harness = Harness.ready(.poor, peers: [peer])
        let link = try harness.connect(peer.address)
        let request = harness.ask(procedure.request, of: link)
        harness.drive()
        let isListed = harness.controller.profile.commands.contains(procedure.opcode)
        #expect((harness.error(request) == nil) == isListed)
        #expect(harness.controller.violations.isEmpty)
    }

    @Test("If the command queue is full, further requests are refused, and no request is lost")
    func flooded() throws {
        var (harness, link) = try connected()
        let requests = (0..<400).map { _ in harness.ask(.readRSSI, of: link) }
        harness.drive()
        #expect(harness.unfinished(requests).isEmpty)
        #expect(requests.count { harness.error($0) == nil } > 100)
        #expect(requests.allSatisfy { [nil, .tooManyRequests].contains(harness.error($0)) })
        #expect(harness.core.state == .ready)
        #expect(harness.controller.violations.isEmpty)
    }
}

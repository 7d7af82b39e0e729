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
            Procedure(request: .setDataLength(octets: 251), opcode: .leSetDataLength),
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
struct ProcedureStories {
    private let peer = ModelPeer(1)

    private func connected() throws -> (Bench, LinkIdentifier) {
        var bench = Bench.ready(peers: [peer])
        let link = try bench.connect(peer.address)
        return (bench, link)
    }

    @Test("A procedure succeeds with the result of the controllers")
    func succeed() throws {
        var (bench, link) = try connected()
        let requests = Procedure.all.map { bench.ask($0.request, of: link) }
        bench.drive()
        var answers: [String] = []
        for request in requests { answers.append("\(try bench.answer(request))") }
        #expect(answers[0].contains("-48"))
        let properties = try #require(bench.core.properties(of: link))
        #expect(properties.phy == LinkPHY(transmit: .le2M, receive: .le2M))
        #expect(properties.parameters.interval == .milliseconds(15))
        #expect(properties.dataLength.transmitOctets == 251)
        #expect(answers[5].contains("1521"), "the company of the model's peers")
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A refused procedure fails, and may be requested again", arguments: Procedure.all)
    func refused(_ procedure: Procedure) throws {
        var (bench, link) = try connected()
        bench.controller.refusals = [procedure.opcode: .controllerBusy]
        let first = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(bench.error(first) == .controller(.controllerBusy))
        bench.controller.refusals = [:]
        let second = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(second) }
    }

    @Test(
        "A procedure without a response fails, and may be requested again",
        arguments: Procedure.all
    )
    func mute(_ procedure: Procedure) throws {
        var (bench, link) = try connected()
        bench.controller.muteCommands = [procedure.opcode]
        let first = bench.ask(procedure.request, of: link)
        bench.advance(by: .seconds(5))
        #expect(bench.error(first) == .commandTimedOut)
        bench.controller.muteCommands = []
        let second = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(second) }
        #expect(bench.core.state == .ready)
    }

    @Test(
        "A procedure that the peer refuses fails with the peer's reason",
        arguments: Procedure.ending
    )
    func refusedByPeer(_ procedure: Procedure) throws {
        var (bench, link) = try connected()
        bench.controller.badEnds = [procedure.opcode: .unsupportedRemoteFeature]
        let request = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(bench.error(request) == .controller(.unsupportedRemoteFeature))
    }

    @Test(
        "A second procedure is busy, and one that never ends times out",
        arguments: Procedure.ending
    )
    func endless(_ procedure: Procedure) throws {
        var (bench, link) = try connected()
        bench.controller.endlessCommands = [procedure.opcode]
        let first = bench.ask(procedure.request, of: link)
        bench.drive()
        let second = bench.ask(procedure.request, of: link)
        #expect(bench.error(second) == .busy)
        bench.advance(by: LinkCore.procedureTimeout)
        #expect(bench.error(first) == .timedOut)
        bench.controller.endlessCommands = []
        let third = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(third) }
    }

    @Test("A canceled procedure stays busy until it ends", arguments: Procedure.ending)
    func cancelled(_ procedure: Procedure) throws {
        var (bench, link) = try connected()
        let first = bench.ask(procedure.request, of: link)
        bench.core.cancelRequest(first, of: link, now: bench.now)
        let second = bench.ask(procedure.request, of: link)
        #expect(bench.error(second) == .busy)
        bench.drive()
        #expect(bench.isPending(first), "a cancelled request was told of")
        let third = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(throws: Never.self) { try bench.answer(third) }
    }

    @Test("A procedure ends with the link at any packet", arguments: Procedure.all, 0..<4)
    func linkLost(_ procedure: Procedure, afterPackets count: Int) throws {
        var (bench, link) = try connected()
        bench.controller.endlessCommands = [procedure.opcode]
        let request = bench.ask(procedure.request, of: link)
        bench.drive(atMost: count)
        bench.controller.dropLink(to: peer.address, .connectionTimeout)
        bench.drive()
        #expect(bench.result(request) != nil)
        if procedure.endsWithEvent {
            #expect(bench.error(request) == .disconnected(.connectionTimeout))
        }
        #expect(bench.ends[link] == [.disconnected(.connectionTimeout)])
    }

    @Test(
        "A procedure on a link that ends before the command arrives ends once",
        arguments: Procedure.all
    )
    func linkLostBefore(_ procedure: Procedure) throws {
        var (bench, link) = try connected()
        bench.controller.dropLink(to: peer.address, .remoteUserTerminatedConnection)
        let request = bench.ask(procedure.request, of: link)
        bench.drive()
        #expect(bench.error(request) != nil)
        let late = bench.ask(procedure.request, of: link)
        #expect(bench.error(late) == .disconnected(.unknownConnectionIdentifier))
    }

    @Test("An unsupported command is not sent to the controller", arguments: Procedure.all)
    func unsupported(_ procedure: Procedure) throws {
        var bench = Bench.ready(.poor, peers: [peer])
        let link = try bench.connect(peer.address)
        let request = bench.ask(procedure.request, of: link)
        bench.drive()
        let isListed = bench.controller.profile.commands.contains(procedure.opcode)
        #expect((bench.error(request) == nil) == isListed)
        #expect(bench.controller.violations.isEmpty)
    }

    @Test("A full queue of commands refuses more, and no request is lost")
    func flooded() throws {
        var (bench, link) = try connected()
        let requests = (0..<400).map { _ in bench.ask(.readRSSI, of: link) }
        bench.drive()
        #expect(bench.unfinished(requests).isEmpty)
        #expect(requests.count { bench.error($0) == nil } > 100)
        #expect(requests.allSatisfy { [nil, .tooManyRequests].contains(bench.error($0)) })
        #expect(bench.core.state == .ready)
        #expect(bench.controller.violations.isEmpty)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard
import Testing

@testable import LanyardFleet

struct CommandTests {
    static let read = #"{"id": "r1", "operation": "read", "characteristicID": "2A38"}"#
    static let key = AcceptedCommand.Key(accessory: "strap", id: "r1")

    @Test("A command is on the disk before it is executed, and its answer goes to its sender")
    func reading() throws {
        var host = try FleetHarness.holding()
        host.command(Self.read) { message in
            message.responseTopic = "lanyard/answers/app"
            message.correlation = [1, 2]
        }
        let actions = host.take()
        #expect(actions.last == .perform(Self.key, .read(location)))
        #expect(actions.contains { if case .persist(.accepted) = $0 { true } else { false } })
        host.input { core, now in
            core.finished(Self.key, .read(location), .success(Data([7])), now: now)
        }
        let answer = try #require(host.published.first?.message)
        #expect(answer.topic == "lanyard/answers/app")
        #expect(answer.correlation == [1, 2])
        let members = try #require(try JSON(parsing: answer.payload).members)
        #expect(members["status"] == .integer(200))
        #expect(members["value"] == .string("Bw=="))
    }

    @Test("A repeated command is refused and not executed, even after a restart")
    func repeated() throws {
        var host = try FleetHarness.holding()
        host.command(Self.read)
        _ = host.take()
        host.command(Self.read)
        #expect(try host.answers().map { $0["status"] } == [.integer(409)])
        host.input { core, now in
            core.finished(Self.key, .read(location), .success(nil), now: now)
        }
        var next = try host.restarted()
        next.connect()
        next.appear()
        next.pass(3)
        next.pass(3)
        next.acknowledgeAll()
        _ = next.take()
        next.command(Self.read)
        #expect(try next.answers().map { $0["title"] } == [.string("Repeated command")])
        #expect(!next.take().contains(.perform(Self.key, .read(location))))
    }

    @Test("A command that a crash interrupts is answered after the restart")
    func interrupted() throws {
        var host = try FleetHarness.holding()
        host.command(Self.read) { $0.correlation = [9] }
        var next = try host.restarted()
        next.connect()
        let answer = try #require(try next.answers().first)
        #expect(answer["status"] == .integer(500))
        #expect(answer["id"] == .string("r1"))
        #expect(next.published.contains { $0.message.correlation == [9] })
        // The command is answered only once.
        next.acknowledgeAll()
        var third = try next.restarted()
        third.connect()
        #expect(try third.answers().isEmpty)
    }

    @Test("A command ends at its expiry, and a late result is dropped")
    func expiry() throws {
        var host = try FleetHarness.holding()
        host.command(Self.read) { $0.expiry = 5 }
        host.pass(4)
        #expect(try host.answers().isEmpty)
        host.pass(1)
        #expect(host.actions.contains(.cancel(Self.key)))
        #expect(try host.answers().map { $0["status"] } == [.integer(504)])
        _ = host.take()
        host.input { core, now in
            core.finished(Self.key, .read(location), .success(nil), now: now)
        }
        #expect(host.take().isEmpty)
    }

    @Test(
        "A command that is malformed, expired or not possible is refused with the reason",
        arguments: [
            ("", 400), ("{", 400), ("[]", 400), (#"{"id": "a b", "operation": "read"}"#, 400),
            (#"{"id": "x", "operation": "explode"}"#, 400),
            (#"{"id": "x", "operation": "read"}"#, 400),
            (#"{"id": "x", "operation": "read", "characteristicID": "zz"}"#, 400),
            (#"{"id": "x", "operation": "read", "characteristicID": "2A00"}"#, 404),
            (#"{"id": "x", "operation": "read", "characteristicID": "2A39"}"#, 405),
            (#"{"id": "x", "operation": "write", "characteristicID": "2A38", "value": ""}"#, 405),
            (#"{"id": "x", "operation": "write", "characteristicID": "2A39", "value": "*"}"#, 400),
            (#"{"id": "x", "operation": "connect", "expiry": -1}"#, 400),
            (#"{"id": "x", "operation": "connect", "expiry": 0}"#, 504),
            (#"{"id": "x", "operation": "connect", "extra": 1}"#, 400),
            (String(repeating: "[", count: 5_000), 400),
        ]
    )
    func malformed(_ text: String, _ status: Int) throws {
        var host = try FleetHarness.holding()
        host.command(text)
        let answer = try #require(try host.answers().first)
        #expect(answer["status"] == .integer(status))
        #expect(answer["detail"]?.text?.isEmpty == false)
        #expect(host.core.commands.isEmpty)
    }

    @Test(
        "Retained commands, commands to unknown accessories and foreign response topics are ignored"
    )
    func ignored() throws {
        var host = try FleetHarness.holding()
        host.command(Self.read) { $0.isRetained = true }
        host.command(Self.read) { $0.topic = "lanyard/devices/other/commands" }
        #expect(host.core.commands.isEmpty)
        host.command(Self.read) { $0.responseTopic = "lanyard/leases/strap" }
        #expect(host.core.commands[Self.key]?.command.topic == "lanyard/devices/strap/answers")
    }

    @Test("A host without the lease leaves commands to the other hosts")
    func otherHost() throws {
        var host = try FleetHarness()
        host.connect()
        host.command(Self.read)
        #expect(try host.answers().isEmpty)
        #expect(host.core.commands.isEmpty)
    }

    @Test("The number of commands under way is bounded")
    func bounded() throws {
        var host = try FleetHarness.holding()
        for number in 0...FleetCore.commandLimit {
            host.command(#"{"id": "c\#(number)", "operation": "read", "characteristicID": "2A38"}"#)
        }
        #expect(host.core.commands.count == FleetCore.commandLimit)
        #expect(try host.answers().map { $0["status"] } == [.integer(429)])
    }

    @Test("A forgotten accessory stays forgotten until a connect command")
    func forgetting() throws {
        var host = try FleetHarness.holding()
        host.command(#"{"id": "f", "operation": "forget"}"#)
        let key = AcceptedCommand.Key(accessory: "strap", id: "f")
        host.input { core, now in core.finished(key, .forget, .success(nil), now: now) }
        #expect(host.take().contains(.release("strap")))
        host.pass(100)
        #expect(host.core.tracked["strap"]?.lease.phase == .free)
        host.command(#"{"id": "c", "operation": "connect"}"#)
        host.pass(3)
        host.pass(3)
        #expect(host.core.tracked["strap"]?.lease.isHeld == true)
    }
}

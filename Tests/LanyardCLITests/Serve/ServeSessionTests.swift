// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Testing

@testable import LanyardCLI

@Suite("A served accessory")
struct ServeSessionTests {
    private let peer = "C4:F0:00:00:00:02/random"

    @Test("A client finds the services of the file", arguments: Examples.names)
    func exploration(name: String) async throws {
        var accessory = try DatabaseFile.read(Examples.path(name))
        accessory.advertising.isExtended = false
        let text = try String(contentsOfFile: Examples.path(name), encoding: .utf8)
        let harness = try ServeHarness(text)
        let expected = try DatabaseListing(accessory).exploration
        try await harness.run { _, link, _ in
            let explorer = Explorer(accessory: link, limits: .unlimited)
            let found = try await explorer.explore(advertisedName: nil)
            #expect(found.name == expected.name)
            #expect(found.services == expected.services)
        }
    }

    @Test("Connections, reads, writes and disconnections are reported")
    func events() async throws {
        let harness = try ServeHarness(
            """
            {"name": "Lamp", "services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["read", "write"], "value": "57", "maximumLength": 1}
            ]}]}
            """
        )
        try await harness.run { _, link, _ in
            let handle = try await link.find(0x2A19).valueHandle
            #expect(try await link.read(handle) == [0x57])
            try await link.write([0x10], to: handle)
            #expect(try await link.read(handle) == [0x10])
            await #expect(throws: GATT.Failure.self) { try await link.write([1, 2], to: handle) }
        }
        #expect(
            harness.journal.lines == [
                #"ready: "Lamp" at C4:F0:00:00:00:01/random, 1 service, 1 characteristic"#,
                "connected: \(peer)",
                "read: \(peer) Battery Level #20 = 87 %",
                "written: \(peer) Battery Level #20 = 16 %",
                "read: \(peer) Battery Level #20 = 16 %",
                "written: \(peer) Battery Level #20: refused, Invalid Attribute Value Length",
                "disconnected: \(peer): remote user terminated connection",
            ]
        )
    }

    @Test("A characteristic of the Generic Attribute service is reported by name")
    func serviceChanged() async throws {
        let harness = try ServeHarness("{}")
        try await harness.run { _, link, _ in
            _ = try await link.subscribe(to: try await link.find(0x2A05))
        }
        let subscriptions = harness.journal.lines.filter { $0.hasPrefix("subscribed: ") }
        #expect(subscriptions.count == 1)
        #expect(
            subscriptions.first?.hasPrefix("subscribed: \(peer) Service Changed #") == true,
            "\(subscriptions)"
        )
    }

    @Test("A value of maximum length is read and written in parts")
    func longValues() async throws {
        let harness = try ServeHarness(
            """
            {"services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["read", "write"], "value": {"pattern": 512}}]}]}
            """
        )
        try await harness.run { _, link, _ in
            let handle = try await link.find(0x2A19).valueHandle
            let pattern = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try await link.readLong(handle) == pattern)
            try await link.write(pattern.reversed(), to: handle)
            #expect(try await link.readLong(handle) == pattern.reversed())
        }
    }

    @Test("Echoes are sent in order")
    func echoes() async throws {
        let harness = try ServeHarness(
            """
            {"services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["write", "writeWithoutResponse"], "echo": "2A1A"},
              {"uuid": "2A1A", "properties": ["notify"]}]}]}
            """
        )
        try await harness.run { _, link, _ in
            let input = try await link.find(0x2A19).valueHandle
            let output = try await link.find(0x2A1A)
            var messages = try await link.subscribe(to: output).makeAsyncIterator()
            for number in 0..<100 {
                try await link.writeWithoutResponse([UInt8(number)], to: input)
            }
            for number in 0..<100 { #expect(try await messages.next() == [UInt8(number)]) }
        }
    }

    @Test("Values with a period are sent in every period")
    func periods() async throws {
        let harness = try ServeHarness(
            """
            {"services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["notify"], "every": 0.5,
               "value": {"uint8": {"counter": 0}}},
              {"uuid": "2A1A", "properties": ["indicate"], "every": 1, "value": "07"}]}]}
            """
        )
        try await harness.run { [air = harness.air] _, link, _ in
            let counter = try await link.find(0x2A19)
            let constant = try await link.find(0x2A1A)
            let values = try await link.subscribe(to: counter)
            let indications = try await link.subscribe(to: constant)
            let start = air.now
            var last: UInt8?
            for try await value in values.prefix(10) {
                if let last { #expect(value == [last + 1]) }
                last = value.first
            }
            #expect((Duration.seconds(4)...(.seconds(6))).contains(air.now - start))
            for try await value in indications.prefix(3) { #expect(value == [7]) }
        }
    }

    @Test("Valid typed commands are performed, and invalid ones are refused")
    func commands() async throws {
        let harness = try ServeHarness(
            """
            {"services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["read", "notify"], "value": "57",
               "maximumLength": 2}]}]}
            """
        )
        try await harness.run(isVerbose: true) { [air = harness.air] _, link, commands in
            let level = try await link.find(0x2A19)
            commands.yield("notify 2A19 01")
            commands.yield("set 2A1F 00")
            commands.yield("set 2A19 010203")
            commands.yield("bogus")
            commands.yield("")
            commands.yield("set battery-level {\"uint8\": 9}")
            commands.yield("help")
            try await air.sleep(for: .seconds(1))
            #expect(try await link.read(level.valueHandle) == [9])
            var values = try await link.subscribe(to: level).makeAsyncIterator()
            commands.yield("notify #20 \"ab\"")
            commands.yield("notify #20")
            #expect(try await values.next() == Array("ab".utf8))
            #expect(try await values.next() == Array("ab".utf8))
            commands.yield("values")
            commands.yield("links")
            try await air.sleep(for: .seconds(1))
        }
        #expect(
            harness.journal.lines.contains { $0.hasPrefix("value: Battery Level #20 = 6162") },
            "\(harness.journal.lines)"
        )
        #expect(
            harness.journal.lines.contains(
                "link: C4:F0:00:00:00:02/random, not encrypted, subscribed to Battery Level #20"
            )
        )
        #expect(
            harness.journal.remarks == [
                "lanyard: no client has subscribed to Battery Level #20\n",
                "lanyard: no served characteristic is 2A1F; type values for a list\n",
                "lanyard: Battery Level #20 was not set: it holds at most 2 bytes, and 3 were given; "
                    + "maximumLength in the file sets the limit\n",
                "lanyard: 'bogus' is not a command; type help for the commands\n",
                TypedCommand.explanation + "\n",
            ]
        )
        let sent = harness.journal.lines.filter { $0.hasPrefix("sent: ") }
        #expect(sent.count == 2)
    }

    @Test("Typed commands grant and withdraw authorization")
    func authorization() async throws {
        let harness = try ServeHarness(
            """
            {"services": [{"uuid": "180F", "characteristics": [
              {"uuid": "2A19", "properties": ["read"], "permissions": ["readAuthorized"],
               "value": "57"}]}]}
            """
        )
        try await harness.run { [air = harness.air] _, link, commands in
            let level = try await link.find(0x2A19).valueHandle
            await #expect(throws: GATT.Failure.self) { try await link.read(level) }
            commands.yield("authorize")
            try await air.sleep(for: .seconds(1))
            #expect(try await link.read(level) == [0x57])
            commands.yield("deny")
            try await air.sleep(for: .seconds(1))
            await #expect(throws: GATT.Failure.self) { try await link.read(level) }
        }
    }

    @Test("The command quit ends the session")
    func quit() async throws {
        let harness = try ServeHarness("{}")
        try await harness.run { [air = harness.air] _, _, commands in
            try await air.sleep(for: .seconds(1))
            commands.yield("quit")
            try await air.sleep(for: .seconds(100))
            Issue.record("the session continues")
        }
        #expect(harness.journal.lines.count == 2, "\(harness.journal.lines)")
    }
}

@Suite("The events of serve")
struct ServeEventTests {
    private let client = DeviceAddress(value: 0xC4F0_0000_0002, kind: .random)
    private let level = ServedAttribute(
        handle: AttributeHandle(rawValue: 20),
        uuid: BluetoothUUID(0x2A19)
    )

    @Test("A line escapes control characters and shortens a long value")
    func lines() {
        let name = ServeEvent.ready(
            name: "\u{1B}[2J",
            address: client,
            services: 2,
            characteristics: 1
        )
        #expect(
            name.line
                == #"ready: "\u{1B}[2J" at C4:F0:00:00:00:02/random, 2 services, 1 characteristic"#
        )
        let written = ServeEvent.written(client, level, offset: 3, .value(Array("\u{1B}ab".utf8)))
        #expect(!written.line.contains("\u{1B}") && written.line.contains(" from 3 = 1b6162"))
        let description = ServedAttribute(
            handle: AttributeHandle(rawValue: 21),
            uuid: BluetoothUUID(0x2901),
            isDescriptor: true
        )
        let long = ServeEvent.read(
            client,
            description,
            offset: 0,
            .value([UInt8](repeating: 0, count: 512))
        )
        #expect(long.line.hasSuffix("… (512 bytes)") && long.line.count < 250)
    }

    @Test("An event is one JSON object")
    func objects() {
        let start = #"{"event":"#
        let from = #""client":"C4:F0:00:00:00:02","addressType":"random""#
        let at = #""uuid":"2A19","handle":20"#
        #expect(ServeEvent.connected(client).json.compact == start + #""connected",\#(from)}"#)
        #expect(
            ServeEvent.read(client, level, offset: 0, .value([0x57])).json.compact
                == start + #""read",\#(from),\#(at),"offset":0,"value":"57","meaning":"87 %"}"#
        )
        #expect(
            ServeEvent.written(client, level, offset: 2, .refused(.invalidOffset)).json.compact
                == start
                + #""written",\#(from),\#(at),"offset":2,"value":null,"meaning":null,"#
                + #""error":"Invalid Offset"}"#
        )
        #expect(
            ServeEvent.subscribed(client, level, nil).json.compact
                == start + #""subscribed",\#(from),\#(at),"kind":null}"#
        )
        #expect(
            ServeEvent.unsent(client, level, reason: "why").json.compact
                == start + #""unsent",\#(from),\#(at),"reason":"why"}"#
        )
    }
}

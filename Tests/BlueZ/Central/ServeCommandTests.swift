// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import ProcessTestSupport
import Testing

/// BlueZ connects to `lanyard serve`, which serves the database of a file and the values that are
/// typed while it runs.
@Suite(.machines) struct ServeCommandTests {
    @Test("The serve command serves the database that a file describes", arguments: Setting.all)
    func servesTable(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "lanyard serve") { bluez in
            try await bluez.powerOn()
            try await withFolder { folder in
                let options = ["--address", ServerFixture.address.description]
                let serving = try await ServingProcess(
                    Self.table,
                    on: bluez.adapter,
                    in: folder,
                    options: options
                )
                let found = try await bluez.findServer()
                #expect(found["Appearance"].integer == 833)
                let client = Client(bluez: bluez, path: bluez.path(of: ServerFixture.address))
                try await client.connect()
                try await expectValues(client, serving)
                try await expectUpdates(client, serving)
                try await serving.end()
                try await client.bluez.isAlone()
            }
        }
    }

    /// The numbers are compared at our terminal and on D-Bus. Then the command restarts with the
    /// same store, and no user is asked.
    @Test(
        "The serve command pairs at a terminal and keeps the bond after a restart",
        arguments: Setting.all
    )
    func pairsAtTerminal(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "lanyard serve, pairing") { bluez in
            try await bluez.powerOn(io: .displayYesNo)
            try await withFolder { folder in
                try await pair(near: bluez, folder)
                let again = try await ServingProcess(
                    Self.table,
                    on: bluez.adapter,
                    in: folder,
                    options: ["--pair", "--store", folder + "/store"]
                )
                let client = Client(bluez: bluez, path: bluez.path(of: ServerFixture.address))
                try await client.connect()
                #expect(
                    try await client.read(ServerFixture.topSecret) == ServerFixture.protectedValue
                )
                try await again.end()
                #expect(!again.process.log.contains("pair"))
            }
        }
    }

    // MARK: Helpers

    private func expectValues(_ client: Client, _ serving: ServingProcess) async throws {
        #expect(try await client.read(ServerFixture.short) == Array("edit me".utf8))
        _ = try await serving.event("read")
        #expect(try await client.read(ServerFixture.long) == ServerFixture.pattern(512))
        let value = Array(ServerFixture.pattern(300).reversed())
        try await client.write(value, to: ServerFixture.long)
        #expect(try await serving.event("written")["value"].bytes == value)
        let counts = [
            try await client.read(ServerFixture.dynamic),
            try await client.read(ServerFixture.dynamic),
        ]
        #expect(counts == [[1], [2]])
        serving.send("set \(ServerFixture.short) \"edited\"")
        _ = try await serving.event("set")
        #expect(try await client.read(ServerFixture.short) == Array("edited".utf8))
    }

    private func expectUpdates(_ client: Client, _ serving: ServingProcess) async throws {
        let notified = try await client.subscribe(to: ServerFixture.notified)
        _ = try await serving.event("subscribed") { $0["kind"].text == "notification" }
        serving.send("notify \(ServerFixture.notified) 0102")
        #expect(try await client.values(1, by: notified) == [[1, 2]])
        let ticking = try await client.subscribe(to: ServerFixture.indicated)
        let ticks = try await client.values(3, by: ticking).map { $0.first ?? 0 }
        #expect(ticks == (0..<3).map { ticks[0] &+ $0 })
    }

    private func pair(near bluez: BlueZ, _ folder: String) async throws {
        let path = folder + "/table.json"
        try Data(Self.table.utf8).write(to: URL(fileURLWithPath: path))
        let adapter = try await bluez.adapter.description
        let terminal = try TerminalSession(
            [
                "serve", path, "--address", ServerFixture.address.description, "--store",
                folder + "/store", "--pair", "--io", "display-yes-no",
            ],
            environment: LanyardTool.environment(adapter: adapter)
        )
        try await terminal.wait(for: "ready: \"\(ServerFixture.name)\"", within: Limits.step)
        _ = try await bluez.findServer()
        let client = Client(bluez: bluez, path: bluez.path(of: ServerFixture.address))
        try await client.connect()
        async let pairing: Void = client.pair()
        let shown = try await terminal.wait(for: "? [y/N] ", within: Limits.step)
        let compared = try await bluez.question("confirm")["passkey"].integer
        #expect(shown.contains(Self.spaced(try #require(compared))))
        terminal.type(line: "y")
        try await pairing
        try await terminal.wait(for: "bonded: ", within: Limits.step)
        #expect(try await client.read(ServerFixture.topSecret) == ServerFixture.protectedValue)
        terminal.type(line: "quit")
        #expect(try await terminal.waitUntilEnd(within: Limits.step) == .exited(0))
        try await client.bluez.isAlone()
    }

    /// Returns the six digits as the command displays them: `012 345`.
    private static func spaced(_ number: Int) -> String {
        let digits = String(String(number + 1_000_000).dropFirst())
        return "\(digits.prefix(3)) \(digits.suffix(3))"
    }

    private static let table = """
        {"name": "\(ServerFixture.name)", "appearance": 833, "services": [
            {"uuid": "\(ServerFixture.service)", "characteristics": [
                {"uuid": "\(ServerFixture.short)", "properties": ["read", "write"],
                 "value": {"text": "edit me"}, "maximumLength": 64},
                {"uuid": "\(ServerFixture.long)", "properties": ["read", "write"],
                 "value": {"pattern": 512}},
                {"uuid": "\(ServerFixture.dynamic)", "properties": ["read"],
                 "value": {"uint8": {"counter": 1}}},
                {"uuid": "\(ServerFixture.notified)", "properties": ["notify"], "value": "00"},
                {"uuid": "\(ServerFixture.indicated)", "properties": ["indicate"],
                 "value": {"uint8": {"counter": 1}}, "every": 0.1},
                {"uuid": "\(ServerFixture.topSecret)", "properties": ["read"],
                 "permissions": ["readAuthenticated"], "value": "c0ffee"}
            ]}
        ]}
        """
}

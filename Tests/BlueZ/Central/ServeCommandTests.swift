// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import ProcessTestSupport
import Testing

/// BlueZ connects to `lanyard serve`, which serves what a file describes and what is typed while it
/// runs.
@Suite(.machines) struct ServeCommandTests {
    @Test(arguments: Setting.all)
    func whatAFileDescribesIsServed(_ setting: Setting) async throws {
        try await withBlueZ(setting, as: .central, "lanyard serve") { bluez in
            try await bluez.powerOn()
            try await withFolder { folder in
                let options = ["--address", Stall.address.description]
                let serving = try await ServingProcess(
                    Self.table,
                    on: bluez.adapter,
                    in: folder,
                    options: options
                )
                let found = try await bluez.findStall()
                #expect(found["Appearance"].integer == 833)
                let visitor = Visitor(bluez: bluez, path: bluez.path(of: Stall.address))
                try await visitor.connect()
                try await expectValues(visitor, serving)
                try await expectUpdates(visitor, serving)
                try await serving.end()
                try await visitor.bluez.isAlone()
            }
        }
    }

    /// The numbers are compared at our terminal and on D-Bus. Then the command restarts with the
    /// same store, and no user is asked.
    @Test(arguments: Setting.all)
    func aPersonPairsAtATerminal(_ setting: Setting) async throws {
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
                let visitor = Visitor(bluez: bluez, path: bluez.path(of: Stall.address))
                try await visitor.connect()
                #expect(try await visitor.read(Stall.topSecret) == Stall.treasure)
                try await again.end()
                #expect(!again.process.log.contains("pair"))
            }
        }
    }

    // MARK: Helpers

    private func expectValues(_ visitor: Visitor, _ serving: ServingProcess) async throws {
        #expect(try await visitor.read(Stall.short) == Array("edit me".utf8))
        _ = try await serving.news("read")
        #expect(try await visitor.read(Stall.long) == Stall.pattern(512))
        let value = Array(Stall.pattern(300).reversed())
        try await visitor.write(value, to: Stall.long)
        #expect(try await serving.news("written")["value"].octets == value)
        let counts = [
            try await visitor.read(Stall.dynamic), try await visitor.read(Stall.dynamic),
        ]
        #expect(counts == [[1], [2]])
        serving.order("set \(Stall.short) \"edited\"")
        _ = try await serving.news("set")
        #expect(try await visitor.read(Stall.short) == Array("edited".utf8))
    }

    private func expectUpdates(_ visitor: Visitor, _ serving: ServingProcess) async throws {
        let notified = try await visitor.subscribe(to: Stall.notified)
        _ = try await serving.news("subscribed") { $0["kind"].text == "notification" }
        serving.order("notify \(Stall.notified) 0102")
        #expect(try await visitor.values(1, by: notified) == [[1, 2]])
        let ticking = try await visitor.subscribe(to: Stall.indicated)
        let ticks = try await visitor.values(3, by: ticking).map { $0.first ?? 0 }
        #expect(ticks == (0..<3).map { ticks[0] &+ $0 })
    }

    private func pair(near bluez: BlueZ, _ folder: String) async throws {
        let path = folder + "/table.json"
        try Data(Self.table.utf8).write(to: URL(fileURLWithPath: path))
        let adapter = try await bluez.adapter.description
        let terminal = try TerminalSession(
            [
                "serve", path, "--address", Stall.address.description, "--store",
                folder + "/store", "--pair", "--io", "display-yes-no",
            ],
            environment: LanyardTool.environment(adapter: adapter)
        )
        try await terminal.wait(for: "ready: \"\(Stall.name)\"", within: Limits.step)
        _ = try await bluez.findStall()
        let visitor = Visitor(bluez: bluez, path: bluez.path(of: Stall.address))
        try await visitor.connect()
        async let pairing: Void = visitor.pair()
        let shown = try await terminal.wait(for: "? [y/N] ", within: Limits.step)
        let compared = try await bluez.question("confirm")["passkey"].integer
        #expect(shown.contains(Self.spaced(try #require(compared))))
        terminal.type(line: "y")
        try await pairing
        try await terminal.wait(for: "bonded: ", within: Limits.step)
        #expect(try await visitor.read(Stall.topSecret) == Stall.treasure)
        terminal.type(line: "quit")
        #expect(try await terminal.waitUntilEnd(within: Limits.step) == .exited(0))
        try await visitor.bluez.isAlone()
    }

    /// Six digits as the command displays them: `012 345`.
    private static func spaced(_ number: Int) -> String {
        let digits = String(String(number + 1_000_000).dropFirst())
        return "\(digits.prefix(3)) \(digits.suffix(3))"
    }

    private static let table = """
        {"name": "\(Stall.name)", "appearance": 833, "services": [
            {"uuid": "\(Stall.service)", "characteristics": [
                {"uuid": "\(Stall.short)", "properties": ["read", "write"],
                 "value": {"text": "edit me"}, "maximumLength": 64},
                {"uuid": "\(Stall.long)", "properties": ["read", "write"],
                 "value": {"pattern": 512}},
                {"uuid": "\(Stall.dynamic)", "properties": ["read"],
                 "value": {"uint8": {"counter": 1}}},
                {"uuid": "\(Stall.notified)", "properties": ["notify"], "value": "00"},
                {"uuid": "\(Stall.indicated)", "properties": ["indicate"],
                 "value": {"uint8": {"counter": 1}}, "every": 0.1},
                {"uuid": "\(Stall.topSecret)", "properties": ["read"],
                 "permissions": ["readAuthenticated"], "value": "c0ffee"}
            ]}
        ]}
        """
}

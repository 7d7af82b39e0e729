// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// `lanyard pair` at a terminal, with a Bumble accessory, as a new user would run it.
@Suite(.needsPeers) struct TerminalPairingTests {
    private static let comparing = Plan(io: .displayYesNo, wantsProtection: true)

    // MARK: Successful pairings

    @Test(arguments: [true, false]) func justWorks(isSecure: Bool) async throws {
        try await withStage(Plan(usesSecureConnections: isSecure)) { stage in
            let terminal = try stage.pair(isSecure ? [] : ["--legacy"])
            try await stage.expectPaired(
                terminal,
                method: "just works",
                isSecure: isSecure,
                isAuthenticated: false
            )
        }
    }

    @Test func numericComparison() async throws {
        try await withStage(Self.comparing) { stage in
            let terminal = try stage.pair(["--io", "display-yes-no"])
            try await terminal.wait(for: "Does \(Arena.address(at: 1))/random show ")
            let shown = try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: "y")
            let facts = try await stage.expectPaired(terminal, method: "numeric comparison")
            let digits = UInt32(shown.filter(\.isNumber))
            #expect(digits != nil && digits == facts?.compared)
        }
    }

    @Test(arguments: [true, false]) func passkeyShownHere(isSecure: Bool) async throws {
        let plan = Plan(
            io: .keyboardOnly,
            usesSecureConnections: isSecure,
            wantsProtection: true
        )
        try await withStage(plan) { stage in
            let terminal = try stage.pair(isSecure ? [] : ["--legacy"])
            try await terminal.wait(for: "Enter ")
            let shown = try await terminal.wait(for: " at ")
            let digits = try #require(UInt32(shown.filter(\.isNumber)))
            stage.companion.enter(digits)
            try await stage.expectPaired(terminal, method: "passkey display", isSecure: isSecure)
        }
    }

    @Test(arguments: [true, false]) func passkeyEnteredHere(isSecure: Bool) async throws {
        let plan = Plan(
            io: .displayOnly,
            usesSecureConnections: isSecure,
            wantsProtection: true,
            shows: 42
        )
        try await withStage(plan) { stage in
            let terminal = try stage.pair(isSecure ? [] : ["--legacy"])
            try await terminal.wait(
                for: "Enter the six digits that \(Arena.address(at: 1))/random shows: "
            )
            terminal.type(line: "000 042")
            try await stage.expectPaired(terminal, method: "passkey entry", isSecure: isSecure)
        }
    }

    @Test(arguments: [true, false]) func passkeyEnteredOnBoth(isSecure: Bool) async throws {
        let plan = Plan(
            io: .keyboardOnly,
            usesSecureConnections: isSecure,
            wantsProtection: true,
            enters: 987_654
        )
        try await withStage(plan) { stage in
            let options = ["--io", "keyboard-only"] + (isSecure ? [] : ["--legacy"])
            let terminal = try stage.pair(options)
            try await terminal.wait(for: "Enter the same six digits here and at ")
            try await terminal.wait(for: "/random: ")
            terminal.type(line: "987654")
            try await stage.expectPaired(
                terminal,
                method: "passkey entry on both",
                isSecure: isSecure
            )
        }
    }

    @Test func outOfBand() async throws {
        try await withStage(nil) { stage in
            let theirs = try await stage.companion.share()
            let (c, r) = (theirs.confirmation ?? [], theirs.random ?? [])
            try stage.write(
                #"{"confirmation": "\#(c.hexadecimal)", "random": "\#(r.hexadecimal)"}"#,
                to: "theirs.json"
            )
            try await stage.companion.prepare(Plan(outOfBandData: ""))
            try await stage.begin()
            let terminal = try stage.pair(["--oob", stage.path("theirs.json")])
            try await stage.expectPaired(terminal, method: "out of band")
        }
    }

    @Test func outOfBandBothWays() async throws {
        try await withStage(nil) { stage in
            let theirs = try await stage.companion.share()
            let (c, r) = (theirs.confirmation ?? [], theirs.random ?? [])
            try stage.write(
                #"{"confirmation": "\#(c.hexadecimal)", "random": "\#(r.hexadecimal)"}"#,
                to: "theirs.json"
            )
            let terminal = try stage.pair([
                "--oob", stage.path("theirs.json"), "--make-oob", stage.path("ours.json"),
            ])
            try await terminal.wait(for: "to the peer. Does the peer have it? [y/N] ")
            let ours = try stage.read("ours.json")
            let told = [ours["confirmation"].text, ours["random"].text].compactMap { $0 }
            try await stage.companion.prepare(Plan(outOfBandData: told.joined(separator: ":")))
            try await stage.begin()
            terminal.type(line: "y")
            try await stage.expectPaired(terminal, method: "out of band")
        }
    }

    @Test func outOfBandLegacy() async throws {
        let key = (1...16).map { UInt8($0) }
        let plan = Plan(usesSecureConnections: false, temporaryKey: key)
        try await withStage(plan) { stage in
            try stage.write(#"{"temporaryKey": "\#(key.hexadecimal)"}"#, to: "key.json")
            let terminal = try stage.pair(["--legacy", "--oob", stage.path("key.json")])
            try await stage.expectPaired(terminal, method: "out of band", isSecure: false)
        }
    }

    // MARK: Failed pairings

    @Test(arguments: ["", "n"]) func aNoIsANo(answer: String) async throws {
        try await withStage(Self.comparing) { stage in
            let terminal = try stage.pair()
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: answer)
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("lanyard: pairing: declined here\n"))
            #expect(try await stage.bonds().isEmpty)
        }
    }

    @Test func theEndOfTheInputIsANo() async throws {
        try await withStage(Self.comparing) { stage in
            let terminal = try stage.pair()
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(TerminalSession.endOfInput)
            #expect(try await terminal.waitUntilEnd() == .exited(77))
        }
    }

    @Test func aWrongPasskeyIsToldForWhatItMayMean() async throws {
        try await withStage(Plan(io: .displayOnly, wantsProtection: true)) { stage in
            let terminal = try stage.pair()
            try await terminal.wait(for: "/random shows: ")
            terminal.type(line: "123")
            try await terminal.wait(for: "Please enter six digits")
            terminal.type(line: "111111")
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("if they were right, there may be a man in the middle"))
        }
    }

    @Test func theOtherSideMayDecline() async throws {
        let plan = Plan(io: .displayYesNo, wantsProtection: true, declines: ["compare"])
        try await withStage(plan) { stage in
            let terminal = try stage.pair()
            // The accessory may decline before or after the command asks. Both end it.
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("lanyard: pairing: refused by the accessory: "))
        }
    }

    @Test func anAccessoryThatCanOnlyPairTheOldWayIsRefused() async throws {
        try await withStage(Plan(usesSecureConnections: false)) { stage in
            let terminal = try stage.pair()
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("--legacy allows legacy pairing"))
        }
    }

    @Test func interruptionEndsItCleanly() async throws {
        try await withStage(Self.comparing) { stage in
            let terminal = try stage.pair()
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(TerminalSession.interruption)
            #expect(try await terminal.waitUntilEnd() == .exited(130))
            #expect(terminal.shown.contains("lanyard: interrupted\n"))
            try await stage.companion.ended()
            #expect(try await stage.bonds().isEmpty)
        }
    }

    @Test(arguments: 2...8) func thePeerVanishes(at pdu: Int) async throws {
        try await withStage(Plan(vanishes: pdu)) { stage in
            let process = try stage.start(["pair", "Companion", "--answers"])
            process.write(line: "y")
            let (_, ending) = try await process.waitUntilEnd(within: .seconds(60))
            #expect(ending == .exited(74) || ending == .exited(75), "\(process.log)")
            #expect(process.log.contains("lanyard: pairing: "))
            #expect(try await stage.bonds().isEmpty)
        }
    }

    // MARK: Afterwards

    @Test func anotherProcessUsesTheBondUntilItIsRemoved() async throws {
        try await withStage(Plan()) { stage in
            let terminal = try stage.pair()
            try await stage.expectPaired(terminal, method: "just works", isAuthenticated: false)

            let bonds = try await stage.bonds()
            #expect(bonds.count == 1)
            let bond = try #require(bonds.first)
            #expect(bond["name"].text == "Companion")
            #expect(bond["identity"].text == Arena.address(at: 1).description)
            for name in ["Companion", bond["identifier"].text ?? ""] {
                try await stage.companion.advertise()
                let read = try await stage.run(["read", name, "\(Companion.secret)"])
                #expect(read.ending == .exited(0), "\(read.errors)")
                #expect(read.output.contains(Companion.secretValue.hexadecimal))
            }

            try await stage.companion.advertise()
            let again = try stage.pair()
            try await again.wait(for: "bonded already: ")
            #expect(try await again.waitUntilEnd() == .exited(0))

            let removal = try await stage.run(["bonds", "remove", "Companion"])
            #expect(removal.ending == .exited(0), "\(removal.errors)")
            #expect(try await stage.bonds().isEmpty)
            try await stage.companion.advertise()
            let refused = try await stage.run(["read", "Companion", "\(Companion.secret)"])
            #expect(refused.ending == .exited(77))
        }
    }

    @Test func aLostBondIsToldAndPairedAnewOnlyWhenAsked() async throws {
        try await withStage(Plan()) { stage in
            let first = try stage.pair()
            try await stage.expectPaired(first, method: "just works", isAuthenticated: false)
            try await stage.companion.forget()

            try await stage.companion.prepare(Plan())
            try await stage.companion.advertise()
            let read = try await stage.run(["read", "Companion", "\(Companion.open)"])
            #expect(read.ending == .exited(77), "\(read.errors)")
            #expect(read.errors.contains("lanyard pair"))

            try await stage.companion.advertise()
            let again = try stage.pair(["--again"])
            try await again.wait(for: "paired: ")
            #expect(try await again.waitUntilEnd() == .exited(0))
        }
    }

    // MARK: Pairings by the peer

    @Test func serveAsksWhereItsLinesAreTyped() async throws {
        try await withStage(nil) { stage in
            try stage.write(Self.lock, to: "lock.json")
            let options = ["--pair", "--io", "display-yes-no"]
            let terminal = try stage.open(["serve", stage.path("lock.json")] + options)
            try await terminal.wait(for: "ready: \"Lock\"")
            let plan = Plan(io: .displayYesNo, wantsProtection: true)
            try await stage.companion.prepare(plan)
            try await stage.companion.connect(name: "Lock")
            stage.companion.beginPairing()
            try await terminal.wait(for: "wants to pair by numeric comparison")
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: "set 2A19 05")
            try await terminal.wait(for: "set: Battery Level")
            terminal.type(line: "y")
            try await terminal.wait(for: "bonded: ")
            let facts = try await stage.companion.outcome().facts
            #expect(facts?.isAuthenticated == true)
            let level = try await stage.companion.client.read(uuid: BluetoothUUID(0x2A19))
            #expect(level.map(\.value) == [[5]])
            terminal.type(line: "quit")
            #expect(try await terminal.waitUntilEnd() == .exited(0))
            #expect(try await stage.bonds().count == 1)
        }
    }

    @Test func serveRefusesToPairUnlessItIsTold() async throws {
        try await withStage(nil) { stage in
            try stage.write(Self.lock, to: "lock.json")
            let terminal = try stage.open(["serve", stage.path("lock.json")])
            try await terminal.wait(for: "ready: \"Lock\"")
            try await stage.companion.prepare()
            try await stage.companion.connect(name: "Lock")
            let outcome = try await stage.companion.pair()
            #expect(outcome == .failed(.pairingNotSupported, byPeer: true))
            terminal.type(line: "quit")
            #expect(try await terminal.waitUntilEnd() == .exited(0))
        }
    }

    private static let lock = """
        {"name": "Lock", "services": [{"uuid": "180F", "characteristics": [
            {"uuid": "2A19", "properties": ["read"], "permissions": ["readAuthenticated"],
             "value": "57"}
        ]}]}
        """

    // MARK: Without a terminal

    @Test func withoutATerminalEveryQuestionIsDeclined() async throws {
        try await withStage(Self.comparing) { stage in
            let result = try await stage.run(["pair", "Companion", "--io", "display-yes-no"])
            #expect(result.ending == .exited(77))
            let line = "lanyard: declined: numeric comparison needs a person who compares; "
            #expect(result.errors.contains(line) && result.errors.contains("--answers"))
            #expect(try await stage.bonds().isEmpty)
        }
    }

    /// Run as Packaging's unit does: the journal receives what a user reads.
    @Test func aServiceShowsDigitsAndNobodyIsAsked() async throws {
        try await withStage(nil) { stage in
            try stage.write(Self.lock, to: "lock.json")
            let arguments = ["serve", "--stay", stage.path("lock.json")]
            let service = try stage.startService(arguments + ["--pair", "--io", "display-only"])
            _ = try await service.hear("ready: \"Lock\"")
            try await stage.companion.prepare(Plan(io: .keyboardOnly, wantsProtection: true))
            try await stage.companion.connect(name: "Lock")
            stage.companion.beginPairing()
            let shown = try await service.hear("Enter ").prefix(while: { $0 != "a" })
            stage.companion.enter(try #require(UInt32(shown.filter(\.isNumber))))
            _ = try await service.hear("bonded: ")
            #expect(try await stage.companion.outcome().facts?.isAuthenticated == true)
            service.send(signal: SIGINT)
            let (_, ending) = try await service.waitUntilEnd(within: Arena.limit)
            #expect(ending == .exited(0))
            #expect(try await stage.bonds().count == 1)
        }
    }

    @Test func aScriptAnswersInLines() async throws {
        try await withStage(Self.comparing) { stage in
            let process = try stage.start(["pair", "Companion", "--answers", "--json"])
            process.write(line: "y")
            let (output, ending) = try await process.waitUntilEnd(within: Arena.limit * 2)
            #expect(ending == .exited(0), "\(process.log)")
            let report = try JSON(parsing: output)
            #expect(report["method"].text == "numeric comparison")
            #expect(report["authenticated"] == .boolean(true))
            #expect(report["keySize"].integer == 16)
            #expect(report["bond"].text?.count == 36)
        }
    }

    @Test func keysAreInTheTraceOnlyWhenTheyWereAskedFor() async throws {
        for isExported in [false, true] {
            try await withStage(Plan()) { stage in
                let trace = stage.path("trace.btsnoop")
                let keys = isExported ? ["--export-keys", stage.path("keys.json")] : []
                let terminal = try stage.pair(["--trace", trace] + keys)
                try await stage.expectPaired(terminal, method: "just works", isAuthenticated: false)
                let octets = try Array(Data(contentsOf: URL(fileURLWithPath: trace)))
                // Identity Information (Vol 3, Part H, 3.6.4), from its length on.
                let blanked = [17, 0, 6, 0, 8] + [UInt8](repeating: 0, count: 16)
                #expect(octets.contains(blanked) == !isExported)
                guard isExported else { return }
                let used = try stage.read("keys.json").elements
                let key = try #require(used.first?["ltk"].text)
                #expect(used.count == 1 && key.count == 32)
                let reversed = Array(([UInt8](hexadecimal: key) ?? []).reversed())
                #expect(octets.contains(reversed))
            }
        }
    }
}

extension TerminalPairingTests {
    typealias Plan = Companion.Plan

    /// A companion that advertises, and a folder for the commands' stores.
    struct Stage: Sendable {
        let arena: Arena
        let companion: Companion
        let folder: String

        func path(_ name: String) -> String { folder + "/" + name }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        }

        func read(_ name: String) throws -> JSON {
            try JSON(parsing: String(contentsOfFile: path(name), encoding: .utf8))
        }

        private var environment: [String: String] {
            ["LANYARD_ADAPTER": arena.controllers.adapters[0], "XDG_STATE_HOME": folder]
        }

        /// Lets our host connect, and begins to wait for the result of a pairing.
        func begin() async throws {
            try await companion.advertise()
        }

        func pair(_ options: [String] = []) throws -> TerminalSession {
            try open(["pair", "Companion"] + options)
        }

        func open(_ arguments: [String]) throws -> TerminalSession {
            try TerminalSession(arguments, environment: environment)
        }

        func start(_ arguments: [String]) throws -> ChildProcess {
            try ChildProcess(LanyardTool.path, arguments, environment: environment)
        }

        /// Starts it as systemd does: without input, and with one stream for all output.
        func startService(_ arguments: [String]) throws -> ChildProcess {
            let line = #"exec "$0" "$@" </dev/null 2>&1"#
            let words = ["-c", line, LanyardTool.path] + arguments
            return try ChildProcess("/bin/sh", words, environment: environment)
        }

        func run(_ arguments: [String]) async throws -> LanyardTool.Result {
            let process = try start(arguments)
            let (output, ending) = try await process.waitUntilEnd(within: Arena.limit * 2)
            return LanyardTool.Result(ending: ending, output: output, errors: process.log)
        }

        func bonds() async throws -> [JSON] {
            try JSON(parsing: await run(["bonds", "--json"]).output).elements
        }

        /// Waits until the command has ended with success and a message.
        @discardableResult
        func expectPaired(
            _ terminal: TerminalSession,
            method: String,
            isSecure: Bool = true,
            isAuthenticated: Bool = true
        ) async throws -> Companion.Facts? {
            let ending = try await terminal.waitUntilEnd()
            #expect(ending == .exited(0), "\(terminal.shown)")
            let protection =
                (isSecure ? "LE Secure Connections" : "legacy pairing")
                + ", a key of 16 bytes, " + (isAuthenticated ? "authenticated\n" : "not authent")
            for text in [
                "paired: \"Companion\" \(Arena.address(at: 1))/random\n", "method: \(method)\n",
                "protection: \(protection)", "bond: ",
            ] {
                #expect(terminal.shown.contains(text), "\(terminal.shown)")
            }
            companion.awaitPairing()
            return try await companion.outcome().facts
        }
    }

    /// Gives `body` a companion that pairs in this way. With `nil`, `body` prepares it.
    private func withStage(
        _ plan: Plan?,
        _ body: (Stage) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withArena { arena in
            let companion = try await arena.companion()
            let stage = Stage(arena: arena, companion: companion, folder: folder)
            if let plan {
                try await companion.prepare(plan)
                try await companion.advertise()
            }
            try await body(stage)
        }
    }
}

extension ChildProcess {
    /// Waits for a line with this prefix, and drops the lines before it.
    fileprivate func hear(_ beginning: String) async throws -> String {
        var passedOver = ""
        while let line = try await nextLine(within: Arena.limit) {
            if line.hasPrefix(beginning) { return line }
            passedOver += line + "\n"
        }
        throw ProcessError.ended("the service ended before '\(beginning)'", log: passedOver)
    }
}

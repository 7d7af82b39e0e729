// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import Testing

/// `lanyard pair` at a terminal, with a Bumble accessory, as a new user would run it.
@Suite(.needsPeers) struct TerminalPairingTests {
    private static let comparing = Plan(io: .displayYesNo, wantsProtection: true)

    // MARK: Successful pairings

    @Test("The pair command pairs by Just Works", arguments: [true, false])
    func justWorks(isSecure: Bool) async throws {
        try await withFixture(Plan(usesSecureConnections: isSecure)) { fixture in
            let terminal = try fixture.pair(isSecure ? [] : ["--legacy"])
            try await fixture.expectPaired(
                terminal,
                method: "just works",
                isSecure: isSecure,
                isAuthenticated: false
            )
        }
    }

    @Test("The pair command asks its user to compare the numbers")
    func numericComparison() async throws {
        try await withFixture(Self.comparing) { fixture in
            let terminal = try fixture.pair(["--io", "display-yes-no"])
            try await terminal.wait(for: "Does \(PeerHarness.address(at: 1))/random show ")
            let shown = try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: "y")
            let facts = try await fixture.expectPaired(terminal, method: "numeric comparison")
            let digits = UInt32(shown.filter(\.isNumber))
            #expect(digits != nil && digits == facts?.compared)
        }
    }

    @Test(
        "The pair command shows the passkey that the peer's user enters",
        arguments: [true, false]
    )
    func passkeyDisplay(isSecure: Bool) async throws {
        let plan = Plan(
            io: .keyboardOnly,
            usesSecureConnections: isSecure,
            wantsProtection: true
        )
        try await withFixture(plan) { fixture in
            let terminal = try fixture.pair(isSecure ? [] : ["--legacy"])
            try await terminal.wait(for: "Enter ")
            let shown = try await terminal.wait(for: " at ")
            let digits = try #require(UInt32(shown.filter(\.isNumber)))
            fixture.companion.enter(digits)
            try await fixture.expectPaired(terminal, method: "passkey display", isSecure: isSecure)
        }
    }

    @Test("The pair command asks for the passkey that the peer shows", arguments: [true, false])
    func passkeyEntry(isSecure: Bool) async throws {
        let plan = Plan(
            io: .displayOnly,
            usesSecureConnections: isSecure,
            wantsProtection: true,
            shows: 42
        )
        try await withFixture(plan) { fixture in
            let terminal = try fixture.pair(isSecure ? [] : ["--legacy"])
            try await terminal.wait(
                for: "Enter the six digits that \(PeerHarness.address(at: 1))/random shows: "
            )
            terminal.type(line: "000 042")
            try await fixture.expectPaired(terminal, method: "passkey entry", isSecure: isSecure)
        }
    }

    @Test("The pair command asks for the passkey that both users enter", arguments: [true, false])
    func passkeyEntryOnBoth(isSecure: Bool) async throws {
        let plan = Plan(
            io: .keyboardOnly,
            usesSecureConnections: isSecure,
            wantsProtection: true,
            enters: 987_654
        )
        try await withFixture(plan) { fixture in
            let options = ["--io", "keyboard-only"] + (isSecure ? [] : ["--legacy"])
            let terminal = try fixture.pair(options)
            try await terminal.wait(for: "Enter the same six digits here and at ")
            try await terminal.wait(for: "/random: ")
            terminal.type(line: "987654")
            try await fixture.expectPaired(
                terminal,
                method: "passkey entry on both",
                isSecure: isSecure
            )
        }
    }

    @Test("The pair command uses out-of-band data of the peer")
    func outOfBand() async throws {
        try await withFixture(nil) { fixture in
            let theirs = try await fixture.companion.share()
            let (c, r) = (theirs.confirmation ?? [], theirs.random ?? [])
            try fixture.write(
                #"{"confirmation": "\#(c.hexadecimal)", "random": "\#(r.hexadecimal)"}"#,
                to: "theirs.json"
            )
            try await fixture.companion.prepare(Plan(outOfBandData: ""))
            try await fixture.begin()
            let terminal = try fixture.pair(["--oob", fixture.path("theirs.json")])
            try await fixture.expectPaired(terminal, method: "out of band")
        }
    }

    @Test("The pair command uses out-of-band data of both sides")
    func outOfBandExchange() async throws {
        try await withFixture(nil) { fixture in
            let theirs = try await fixture.companion.share()
            let (c, r) = (theirs.confirmation ?? [], theirs.random ?? [])
            try fixture.write(
                #"{"confirmation": "\#(c.hexadecimal)", "random": "\#(r.hexadecimal)"}"#,
                to: "theirs.json"
            )
            let terminal = try fixture.pair([
                "--oob", fixture.path("theirs.json"), "--make-oob", fixture.path("ours.json"),
            ])
            try await terminal.wait(for: "to the peer. Does the peer have it? [y/N] ")
            let ours = try fixture.read("ours.json")
            let values = [ours["confirmation"].text, ours["random"].text].compactMap { $0 }
            try await fixture.companion.prepare(Plan(outOfBandData: values.joined(separator: ":")))
            try await fixture.begin()
            terminal.type(line: "y")
            try await fixture.expectPaired(terminal, method: "out of band")
        }
    }

    @Test("The pair command uses a temporary key for legacy pairing")
    func legacyOutOfBand() async throws {
        let key = (1...16).map { UInt8($0) }
        let plan = Plan(usesSecureConnections: false, temporaryKey: key)
        try await withFixture(plan) { fixture in
            try fixture.write(#"{"temporaryKey": "\#(key.hexadecimal)"}"#, to: "key.json")
            let terminal = try fixture.pair(["--legacy", "--oob", fixture.path("key.json")])
            try await fixture.expectPaired(terminal, method: "out of band", isSecure: false)
        }
    }

    // MARK: Failed pairings

    @Test("An answer other than yes declines the pairing", arguments: ["", "n"])
    func declined(answer: String) async throws {
        try await withFixture(Self.comparing) { fixture in
            let terminal = try fixture.pair()
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: answer)
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("lanyard: pairing: declined here\n"))
            #expect(try await fixture.bonds().isEmpty)
        }
    }

    @Test("The end of the input declines the pairing")
    func endOfInput() async throws {
        try await withFixture(Self.comparing) { fixture in
            let terminal = try fixture.pair()
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(TerminalSession.endOfInput)
            #expect(try await terminal.waitUntilEnd() == .exited(77))
        }
    }

    @Test("The pair command warns of an attacker after a wrong passkey")
    func wrongPasskey() async throws {
        try await withFixture(Plan(io: .displayOnly, wantsProtection: true)) { fixture in
            let terminal = try fixture.pair()
            try await terminal.wait(for: "/random shows: ")
            terminal.type(line: "123")
            try await terminal.wait(for: "Please enter six digits")
            terminal.type(line: "111111")
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("if they were right, there may be a man in the middle"))
        }
    }

    @Test("The pair command reports that the accessory declines")
    func declinedByPeer() async throws {
        let plan = Plan(io: .displayYesNo, wantsProtection: true, declines: ["compare"])
        try await withFixture(plan) { fixture in
            let terminal = try fixture.pair()
            // The accessory may decline before or after the command asks its user.
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("lanyard: pairing: refused by the accessory: "))
        }
    }

    @Test("The pair command refuses an accessory that supports only legacy pairing")
    func legacyAccessory() async throws {
        try await withFixture(Plan(usesSecureConnections: false)) { fixture in
            let terminal = try fixture.pair()
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("--legacy allows legacy pairing"))
        }
    }

    @Test("An interrupted pair command disconnects and leaves no bond")
    func interruption() async throws {
        try await withFixture(Self.comparing) { fixture in
            let terminal = try fixture.pair()
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(TerminalSession.interruption)
            #expect(try await terminal.waitUntilEnd() == .exited(130))
            #expect(terminal.shown.contains("lanyard: interrupted\n"))
            try await fixture.companion.awaitEnd()
            #expect(try await fixture.bonds().isEmpty)
        }
    }

    @Test("The pair command reports a peer that vanishes and leaves no bond", arguments: 2...8)
    func vanishingPeer(at pdu: Int) async throws {
        try await withFixture(Plan(vanishes: pdu)) { fixture in
            let process = try fixture.start(["pair", "Companion", "--answers"])
            process.write(line: "y")
            let (_, ending) = try await process.waitUntilEnd(within: .seconds(60))
            #expect(ending == .exited(74) || ending == .exited(75), "\(process.log)")
            #expect(process.log.contains("lanyard: pairing: "))
            #expect(try await fixture.bonds().isEmpty)
        }
    }

    // MARK: Bonds

    @Test("Other processes use a bond until it is removed")
    func sharedBond() async throws {
        try await withFixture(Plan()) { fixture in
            let terminal = try fixture.pair()
            try await fixture.expectPaired(terminal, method: "just works", isAuthenticated: false)

            let bonds = try await fixture.bonds()
            #expect(bonds.count == 1)
            let bond = try #require(bonds.first)
            #expect(bond["name"].text == "Companion")
            #expect(bond["identity"].text == PeerHarness.address(at: 1).description)
            for name in ["Companion", bond["identifier"].text ?? ""] {
                try await fixture.companion.advertise()
                let read = try await fixture.run(["read", name, "\(Companion.secret)"])
                #expect(read.ending == .exited(0), "\(read.errors)")
                #expect(read.output.contains(Companion.secretValue.hexadecimal))
            }

            try await fixture.companion.advertise()
            let again = try fixture.pair()
            try await again.wait(for: "bonded already: ")
            #expect(try await again.waitUntilEnd() == .exited(0))

            let removal = try await fixture.run(["bonds", "remove", "Companion"])
            #expect(removal.ending == .exited(0), "\(removal.errors)")
            #expect(try await fixture.bonds().isEmpty)
            try await fixture.companion.advertise()
            let refused = try await fixture.run(["read", "Companion", "\(Companion.secret)"])
            #expect(refused.ending == .exited(77))
        }
    }

    @Test("The read command reports a lost bond, and pair --again replaces it")
    func lostBond() async throws {
        try await withFixture(Plan()) { fixture in
            let first = try fixture.pair()
            try await fixture.expectPaired(first, method: "just works", isAuthenticated: false)
            try await fixture.companion.forget()

            try await fixture.companion.prepare(Plan())
            try await fixture.companion.advertise()
            let read = try await fixture.run(["read", "Companion", "\(Companion.open)"])
            #expect(read.ending == .exited(77), "\(read.errors)")
            #expect(read.errors.contains("lanyard pair"))

            try await fixture.companion.advertise()
            let again = try fixture.pair(["--again"])
            try await again.wait(for: "paired: ")
            #expect(try await again.waitUntilEnd() == .exited(0))
        }
    }

    @Test("The pair command reports that its user declined to pair again and keeps the bond")
    func declinesAgain() async throws {
        try await withFixture(Plan()) { fixture in
            let first = try fixture.pair()
            try await fixture.expectPaired(first, method: "just works", isAuthenticated: false)
            try await fixture.companion.forget()

            try await fixture.companion.prepare(Plan())
            try await fixture.companion.advertise()
            let terminal = try fixture.pair()
            try await terminal.wait(for: " again? [y/N] ")
            terminal.type(line: "n")
            #expect(try await terminal.waitUntilEnd() == .exited(77))
            #expect(terminal.shown.contains("pairing again was declined here, and the bond stays"))
            #expect(try await fixture.bonds().count == 1)
        }
    }

    // MARK: Pairings by the peer

    @Test("The serve command asks at the terminal that also takes its commands")
    func serveQuestion() async throws {
        try await withFixture(nil) { fixture in
            try fixture.write(Self.lock, to: "lock.json")
            let options = ["--pair", "--io", "display-yes-no"]
            let terminal = try fixture.open(["serve", fixture.path("lock.json")] + options)
            try await terminal.wait(for: "ready: \"Lock\"")
            let plan = Plan(io: .displayYesNo, wantsProtection: true)
            try await fixture.companion.prepare(plan)
            try await fixture.companion.connect(name: "Lock")
            // Output during a question shows the question again, so this line has to come before
            // the question.
            try await terminal.wait(for: "connected: ")
            fixture.companion.beginPairing()
            try await terminal.wait(for: "wants to pair by numeric comparison")
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: "set 2A19 05")
            try await terminal.wait(for: "set: Battery Level")
            try await terminal.wait(for: "? [y/N] ")
            terminal.type(line: "y")
            try await terminal.wait(for: "bonded: ")
            let facts = try await fixture.companion.outcome().facts
            #expect(facts?.isAuthenticated == true)
            let level = try await fixture.companion.client.read(uuid: BluetoothUUID(0x2A19))
            #expect(level.map(\.value) == [[5]])
            terminal.type(line: "quit")
            #expect(try await terminal.waitUntilEnd() == .exited(0))
            #expect(try await fixture.bonds().count == 1)
        }
    }

    @Test("The serve command refuses pairing by default")
    func serveWithoutPairing() async throws {
        try await withFixture(nil) { fixture in
            try fixture.write(Self.lock, to: "lock.json")
            let terminal = try fixture.open(["serve", fixture.path("lock.json")])
            try await terminal.wait(for: "ready: \"Lock\"")
            try await fixture.companion.prepare()
            try await fixture.companion.connect(name: "Lock")
            let outcome = try await fixture.companion.pair()
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

    @Test("The pair command declines each question without a terminal")
    func noTerminal() async throws {
        try await withFixture(Self.comparing) { fixture in
            let result = try await fixture.run(["pair", "Companion", "--io", "display-yes-no"])
            #expect(result.ending == .exited(77))
            let line = "lanyard: declined: numeric comparison needs a person who compares; "
            #expect(result.errors.contains(line) && result.errors.contains("--answers"))
            #expect(try await fixture.bonds().isEmpty)
        }
    }

    /// Runs the command without a terminal, as its systemd unit in Packaging does.
    @Test("A service shows the passkey and asks no question")
    func servicePasskey() async throws {
        try await withFixture(nil) { fixture in
            try fixture.write(Self.lock, to: "lock.json")
            let arguments = ["serve", "--stay", fixture.path("lock.json")]
            let service = try fixture.startService(arguments + ["--pair", "--io", "display-only"])
            _ = try await service.awaitLine("ready: \"Lock\"")
            try await fixture.companion.prepare(Plan(io: .keyboardOnly, wantsProtection: true))
            try await fixture.companion.connect(name: "Lock")
            fixture.companion.beginPairing()
            let shown = try await service.awaitLine("Enter ").prefix(while: { $0 != "a" })
            fixture.companion.enter(try #require(UInt32(shown.filter(\.isNumber))))
            _ = try await service.awaitLine("bonded: ")
            #expect(try await fixture.companion.outcome().facts?.isAuthenticated == true)
            service.send(signal: SIGINT)
            let (_, ending) = try await service.waitUntilEnd(within: PeerHarness.limit)
            #expect(ending == .exited(0))
            #expect(try await fixture.bonds().count == 1)
        }
    }

    @Test("A script answers the pair command's questions")
    func scriptedAnswers() async throws {
        try await withFixture(Self.comparing) { fixture in
            let process = try fixture.start(["pair", "Companion", "--answers", "--json"])
            process.write(line: "y")
            let (output, ending) = try await process.waitUntilEnd(within: PeerHarness.limit * 2)
            #expect(ending == .exited(0), "\(process.log)")
            let report = try JSON(parsing: output)
            #expect(report["method"].text == "numeric comparison")
            #expect(report["authenticated"] == .boolean(true))
            #expect(report["keySize"].integer == 16)
            #expect(report["bond"].text?.count == 36)
        }
    }

    @Test("The trace contains keys only with the option to export them")
    func exportedKeys() async throws {
        for isExported in [false, true] {
            try await withFixture(Plan()) { fixture in
                let trace = fixture.path("trace.btsnoop")
                let keys = isExported ? ["--export-keys", fixture.path("keys.json")] : []
                let terminal = try fixture.pair(["--trace", trace] + keys)
                try await fixture.expectPaired(
                    terminal,
                    method: "just works",
                    isAuthenticated: false
                )
                let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: trace)))
                // Identity Information (Vol 3, Part H, 3.6.4), from its length on.
                let blanked = [17, 0, 6, 0, 8] + [UInt8](repeating: 0, count: 16)
                #expect(bytes.contains(blanked) == !isExported)
                guard isExported else { return }
                let used = try fixture.read("keys.json").elements
                let key = try #require(used.first?["ltk"].text)
                #expect(used.count == 1 && key.count == 32)
                let reversed = Array(([UInt8](hexadecimal: key) ?? []).reversed())
                #expect(bytes.contains(reversed))
            }
        }
    }
}

extension TerminalPairingTests {
    typealias Plan = Companion.Plan

    /// A companion, and a folder for the commands' stores.
    struct Fixture: Sendable {
        let harness: PeerHarness
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
            ["LANYARD_ADAPTER": harness.controllers.adapters[0], "XDG_STATE_HOME": folder]
        }

        /// Lets our host connect.
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

        /// Starts the process as systemd does: without input, and with one stream for all output.
        func startService(_ arguments: [String]) throws -> ChildProcess {
            let line = #"exec "$0" "$@" </dev/null 2>&1"#
            let words = ["-c", line, LanyardTool.path] + arguments
            return try ChildProcess("/bin/sh", words, environment: environment)
        }

        func run(_ arguments: [String]) async throws -> LanyardTool.Result {
            let process = try start(arguments)
            let (output, ending) = try await process.waitUntilEnd(within: PeerHarness.limit * 2)
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
                "paired: \"Companion\" \(PeerHarness.address(at: 1))/random\n",
                "method: \(method)\n",
                "protection: \(protection)", "bond: ",
            ] {
                #expect(terminal.shown.contains(text), "\(terminal.shown)")
            }
            companion.awaitPairing()
            return try await companion.outcome().facts
        }
    }

    /// Gives `body` a companion that pairs by this plan. With `nil`, `body` prepares it.
    private func withFixture(
        _ plan: Plan?,
        _ body: (Fixture) async throws -> Void
    ) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withPeerHarness { harness in
            let companion = try await harness.companion()
            let fixture = Fixture(harness: harness, companion: companion, folder: folder)
            if let plan {
                try await companion.prepare(plan)
                try await companion.advertise()
            }
            try await body(fixture)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

@testable import LanyardCLI

@Suite("The command lanyard air")
struct AirTests {
    private let console = Console(
        isOutputTerminal: false,
        isRemarkTerminal: false,
        size: { Console.Size(columns: 80, rows: 24) },
        write: { _ in },
        remark: { _ in }
    )

    private func session(_ arguments: String...) throws -> AirSession {
        try AirCommand.parse(arguments).session(on: console)
    }

    @Test("The default address is a port of this machine")
    func defaults() throws {
        let session = try session()
        #expect(session.addresses == [.tcp(host: "127.0.0.1", port: 6402)])
        #expect(session.scenario == Scenario() && session.traceDirectory == nil)
        #expect(!session.isJSON && session.hasExamples)
        #expect(try !self.session("--empty").hasExamples)
    }

    @Test("The command listens at the given addresses")
    func addresses() throws {
        let session = try session("--listen", "tcp:localhost:0", "--listen", "unix:/tmp/x")
        #expect(session.addresses == [.tcp(host: "localhost", port: 0), .unix(path: "/tmp/x")])
    }

    @Test(
        "The command warns of an address that other machines can reach",
        arguments: [
            ("tcp:0.0.0.0:0", true), ("tcp:[::]:0", true), ("tcp:192.0.2.1:6402", true),
            ("tcp:127.0.0.1.example.com:0", true), ("tcp:127.0.0.1:0", false),
            ("tcp:127.8.8.8:0", false), ("tcp:localhost:0", false), ("tcp:[::1]:0", false),
            ("unix:/tmp/x", false),
        ]
    )
    func openness(address: String, isOpen: Bool) throws {
        let warning = try AdapterSpecification.listening(address).openness
        #expect((warning != nil) == isOpen)
        #expect(warning?.contains("HCI has no authentication: use tcp:127.0.0.1:PORT") != false)
    }

    @Test("The command makes a private trace directory and warns of an open one")
    func traceDirectory() throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { remarks.note($0) }
        )
        let command = try AirCommand.parse(["--trace", folder])
        _ = try command.session(on: console)
        #expect(remarks.lines.isEmpty)
        let made = try FileManager.default.attributesOfItem(atPath: folder)
        #expect(made[.posixPermissions] as? Int == 0o700)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        _ = try command.session(on: console)
        #expect(remarks.lines.count == 1)
        let beginning = "lanyard: other users can list the trace directory \(folder)"
        #expect(remarks.lines.first?.hasPrefix(beginning) == true)
    }

    @Test("The address of RootCanal is that of a TCP port")
    func rootCanal() throws {
        let session = try session("--join-rootcanal", "tcp:127.0.0.1:6404")
        #expect(session.rootCanal == .tcp(host: "127.0.0.1", port: 6404))
        #expect(try self.session().rootCanal == nil)
    }

    @Test("A RootCanal that cannot be reached is an error with its address")
    func noRootCanal() async throws {
        let failure = await #expect(throws: ProgramFailure.self) {
            let end = ["--listen", "tcp:127.0.0.1:0", "--until-end-of-input", "--empty"]
            try await AirCommand.parse(end + ["--join-rootcanal", "tcp:127.0.0.1:1"])
                .session(on: console).run()
        }
        #expect(failure?.status == .adapterUnavailable)
        #expect(failure?.happened.hasPrefix("cannot join RootCanal: tcp:127.0.0.1:1") == true)
    }

    @Test("A seed on the command line replaces the scenario's seed")
    func seed() throws {
        try withFile(#"{"seed": 5}"#) { path in
            let scenario = try session("--scenario", path)
            let option = try session("--scenario", path, "--seed", "6")
            #expect(!scenario.hasExamples)
            #expect(scenario.seed == 5 && option.seed == 6)
        }
    }

    @Test(
        "Invalid options are refused with their exit code",
        arguments: [
            (["--listen", "here"], .usage), (["--listen", "tcp:localhost:70000"], .usage),
            (["--listen", "unix:"], .usage), (["--scenario", "/nonexistent/x"], .inputOutput),
            (["--trace", "/dev/null/x"], .inputOutput),
            (["--join-rootcanal", "here"], .usage), (["--join-rootcanal", "unix:/tmp/x"], .usage),
            (["--join-rootcanal", "tcp:127.0.0.1:0"], .usage),
            (["--empty", "--scenario", "/nonexistent/x"], .usage),
        ] as [([String], ProcessStatus)]
    )
    func refusals(arguments: [String], status: ProcessStatus) throws {
        let command = try AirCommand.parse(arguments)
        let failure = try #require(throws: ProgramFailure.self) {
            try command.session(on: console)
        }
        #expect(failure.status == status)
        #expect(!failure.advice.isEmpty || failure.line.contains("; use "))
    }

    @Test(
        "A mistake in a scenario is reported with its path, and control characters are not printed"
    )
    func wrongScenario() throws {
        try withFile(#"{"devices": [{"name": "a"}, {"name": "\u001b[2J", "accessory": 1}]}"#) {
            path in
            let failure = try #require(throws: ProgramFailure.self) {
                try Scenario.read(path)
            }
            #expect(failure.status == .badData)
            #expect(failure.happened.contains("devices[1].accessory: a text should be here"))
        }
        try withFile(#"{"\u001b[2J": 1}"#) { path in
            let failure = try #require(throws: ProgramFailure.self) {
                try Scenario.read(path)
            }
            #expect(!failure.line.contains("\u{1B}"))
        }
    }

    @Test("The first line names the address, and cancellation ends the command")
    func run() async throws {
        let lines = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { lines.note($0) },
            remark: { _ in }
        )
        let command = try AirCommand.parse(["--listen", "tcp:127.0.0.1:0", "--seed", "4"])
        let task = Task {
            defer { lines.end() }
            try await command.session(on: console).run()
        }
        await lines.waitForLine()
        task.cancel()
        try await task.value
        let line = try #require(lines.lines.first)
        #expect(line.hasPrefix("ready: tcp:127.0.0.1:") && line.hasSuffix(" (seed 4)\n"))
        #expect(!line.contains(":0 "))
    }

    @Test("An address where the command cannot listen is named with the reason and the remedy")
    func unusableAddress() async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString.prefix(8))"
        let missing = await failure(listeningAt: "unix:\(folder)/x")
        #expect(
            missing?.line
                == "lanyard: cannot listen at unix:\(folder)/x: there is no directory \(folder); "
                + "make the directory, or give --listen another path"
        )
        let file = await failure(listeningAt: "unix:/dev/null")
        #expect(file?.happened.hasSuffix("there is a file that is not a socket") == true)
        let elsewhere = await failure(listeningAt: "tcp:192.0.2.1:0")
        #expect(elsewhere?.happened.hasSuffix("this machine has no such address") == true)
        let air = LiveAir(World(seed: 1))
        let server = AirServer(air) { _ in }
        let address = try await server.listen(at: .tcp(host: "127.0.0.1", port: 0))
        let used = await failure(listeningAt: address.description)
        #expect(used?.happened.hasSuffix("\(address): another process uses the address") == true)
        await server.stop()
        air.shutDown()
    }

    private func failure(listeningAt address: String) async -> ProgramFailure? {
        await #expect(throws: ProgramFailure.self) {
            try await session("--listen", address, "--until-end-of-input").run()
        }
    }

    @Test("Without a terminal, the digits that an accessory displays are printed as a line")
    func digits() async throws {
        let (lines, remarks) = (ScriptedAccessory.Recorder(), ScriptedAccessory.Recorder())
        func console(_ output: ScriptedAccessory.Recorder) -> Console {
            Console(
                isOutputTerminal: false,
                isRemarkTerminal: false,
                size: { Console.Size(columns: 80, rows: 24) },
                write: { output.note($0) },
                remark: { remarks.note($0) }
            )
        }
        let session = try AirCommand.parse(["--listen", "tcp:127.0.0.1:0"])
            .session(on: console(lines))
        let air = Task {
            defer { lines.end() }
            try await session.run()
        }
        await lines.waitForLine()
        let ready = try #require(lines.lines.first?.firstMatch(of: #/tcp:127\.0\.0\.1:\d+/#))
        var terminal = console(ScriptedAccessory.Recorder())
        terminal.lines = {
            AsyncStream { feed in
                Task {
                    // The user answers after the line with the digits was printed.
                    while !lines.lines.contains(where: { $0.hasPrefix("display: ") }),
                        await lines.waitForLine()
                    {}
                    feed.yield(InputLine(text: "y", readAt: .now))
                    feed.finish()
                }
            }
        }
        let status = await ProgramRun.run(
            [
                "pair", "Front Door", "--mitm", "--io", "display-yes-no", "--answers",
                "--adapter", String(ready.0), "--no-store", "--timeout", "60",
            ],
            on: terminal
        )
        air.cancel()
        try await air.value
        let text = remarks.lines.joined()
        #expect(status == .success, "\(text)")
        let shown = try #require(text.firstMatch(of: #/show (\d{3}) (\d{3})\?/#))
        let display = lines.lines.filter { $0.hasPrefix("display: ") }
        #expect(display == ["display: Front Door shows \(shown.1)\(shown.2)\n"])
    }

    @Test("Incomplete packet logs are reported once, on standard error")
    func traceFailure() async throws {
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { remarks.note($0) }
        )
        let air = LiveAir(World(seed: 1))
        await air.trace(into: "/nonexistent")
        let traces = AirTraces(console: console)
        await traces.check(air)
        #expect(remarks.lines.isEmpty)
        await air.perform { world in
            guard let controller = try? world.addController() else { return }
            world.send([0x01, 0x03, 0x0C, 0x00], to: controller)
        }
        for _ in 0..<2 { await traces.check(air) }
        #expect(remarks.lines.count == 1)
        #expect(
            remarks.lines.first?.hasPrefix("lanyard: the packet logs are not complete: ") == true
        )
        air.shutDown()
    }

    @Test("The command can end at the end of its input")
    func endOfInput() async throws {
        let command = try AirCommand.parse(["--listen", "tcp:127.0.0.1:0"])
        var session = try command.session(on: console)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        session.isOver = { await EndOfInput.wait(on: reading) }
        #expect(write(writing, "words", 5) == 5)
        close(writing)
        try await session.run()
        close(reading)
    }

    @Test("The example scenario is valid", arguments: ["demo", "walk"])
    func examples(name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let scenario = try Scenario.read(root.path() + "Examples/Scenarios/\(name).json")
        #expect(!scenario.devices.isEmpty)
        _ = try scenario.populate(scenario.makeWorld(seed: 1))
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "lanyard-" + UUID().uuidString + ".json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}

@Suite("The output of lanyard air")
struct AirOutputTests {
    @Test("Plain output has a line for each event")
    func lines() {
        let link = AirLink(central: "phone", peripheral: "\u{1B}[2J")
        #expect(AirEvent.ready(addresses: ["a", "b"], seed: 7).line == "ready: a b (seed 7)")
        #expect(AirEvent.connected(host: "h", controller: "c").line == "connected: h has c")
        let gone = AirEvent.disconnected(host: "h", controller: "c", cause: "why")
        #expect(gone.line == "disconnected: h had c: why")
        #expect(AirEvent.linked(link).line == #"linked: phone → \u{1B}[2J"#)
        let end = AirEvent.rootCanalEnded(cause: "why")
        #expect(end.line == "disconnected from RootCanal: why")
        #expect(AirEvent.rootCanalJoined.line == "joined RootCanal again")
        let failure = AirEvent.rootCanalGivenUp(attempts: 9)
        #expect(failure.line == "could not join RootCanal again in 9 attempts")
        #expect(failure.json.compact == #"{"event":"rootCanalGivenUp","attempts":9}"#)
    }

    @Test("JSON output has an object for each event")
    func json() {
        let link = AirLink(central: "a", peripheral: "b")
        #expect(
            AirEvent.unlinked(link).json.compact
                == #"{"event":"unlinked","central":"a","peripheral":"b"}"#
        )
        #expect(
            AirEvent.disconnected(host: "h", controller: "c", cause: nil).json.compact
                == #"{"event":"disconnected","host":"h","controller":"c","cause":null}"#
        )
        #expect(
            AirEvent.ready(addresses: ["a"], seed: .max).json.compact
                == #"{"event":"ready","listen":["a"],"seed":"18446744073709551615"}"#
        )
    }

    @Test(
        "The table fits into a terminal of any size",
        arguments: [20, 40, 80, 200],
        [1, 3, 7, 10, 24]
    )
    func table(columns: Int, rows: Int) throws {
        let world = World(seed: 1)
        try ExampleAccessories.populate(world)
        world.switchOff(try world.addController(ControllerConfiguration(name: "off")))
        let size = Console.Size(columns: columns, rows: rows)
        let lines = AirTable(size: size, heading: "tcp:127.0.0.1:6402").lines(world.status)
        #expect(lines.allSatisfy { TerminalColumns.count($0) <= columns })
        #expect(lines.count < max(rows, 2))
        if rows == 24 { #expect(lines.contains { $0.hasPrefix("Lanyard Demo") }) }
        if columns >= 40, rows == 24 {
            #expect(lines.contains { $0.contains("Lanyard Demo") && $0.contains("1.0, 0.0 m") })
            #expect(lines.contains { $0.contains("off  ") })
        }
    }

    @Test(
        "A time is written in hours, minutes and seconds",
        arguments: [(0, "00:00:00"), (3_725, "01:02:05")]
    )
    func clock(seconds: Int64, text: String) {
        #expect(AirTable.clock(Instant(nanoseconds: seconds * 1_000_000_000)) == text)
    }
}

@Suite("The adapter on the command line")
struct AdapterChoiceTests {
    @Test("An adapter can be virtual, with or without a scenario")
    func virtual() throws {
        #expect(try AdapterChoice("virtual") == .virtual(scenario: nil))
        #expect(try AdapterChoice("virtual:a:b") == .virtual(scenario: "a:b"))
        #expect(try AdapterChoice("virtual:a:b").description == "virtual:a:b")
        #expect(try AdapterChoice("unix:/x") == .reached(.unix(path: "/x")))
    }

    @Test("An invalid adapter is refused, and the error names the accepted forms")
    func refused() throws {
        let failure = try #require(throws: ProgramFailure.self) {
            try AdapterChoice(commandLine: "bluetooth")
        }
        #expect(failure.status == .usage)
        #expect(failure.line.hasSuffix(AdapterChoice.forms))
    }

    @Test("A virtual adapter has the example accessories around it")
    func examples() async throws {
        let access = try AdapterChoice.virtual(scenario: nil).open()
        defer { access.end() }
        let air = try #require(access.air)
        let names = await air.perform { $0.status.controllers.map(\.name) }
        #expect(names.contains("Lanyard Demo") && names.last == "lanyard")
    }
}

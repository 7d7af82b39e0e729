// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Synchronization
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("The command line") struct CommandLineTests {
    private struct Run {
        let status: ProcessStatus
        let output: String
        let remarks: String
    }

    private func run(_ arguments: [String]) async -> Run {
        let output = ScriptedAccessory.Recorder()
        let remarks = ScriptedAccessory.Recorder()
        let console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { output.note($0) },
            remark: { remarks.note($0) }
        )
        let status = await ProgramRun.run(arguments, on: console)
        return Run(
            status: status,
            output: output.lines.joined(),
            remarks: remarks.lines.joined()
        )
    }

    @Test(
        "Invalid arguments end in one line with advice and exit code 64",
        arguments: [
            ["bogus"], ["read"], ["read", "Lamp"], ["write", "Lamp", "2A19"], ["scan", "--bogus"],
            ["read", "Lamp", "2A19", "extra"], ["subscribe", "Lamp", "2A37", "--count", "x"],
            ["subscribe", "Lamp", "2A37", "--count", "0"], ["trace"], ["explore", ""],
            ["read", "AA:BB:CC:DD:EE:GG", "2A19"], ["read", "Lamp", "2A1"],
            ["write", "Lamp", "2A19", "0g"], ["scan", "--service", "xyz"],
            ["scan", "--timeout", "0"], ["scan", "--timeout", "nan"], ["scan", "--timeout", "1e9"],
            ["scan", "--adapter", "bogus"], ["scan", "--adapter", "tcp:host:0"],
            ["scan", "--adapter", "unix:"], ["trace", "x", "--layer", "radio"],
            ["trace", "x", "--connection", "4096"], ["\u{1B}[2J"], ["--adapter"],
            ["doctor", "--entitlements", "x"],
            ["doctor", "--info-plist", "x", "--platform", "vms"],
            ["doctor", "--restoration"], ["doctor", "--info-plist", "x", "--background", "lamp"],
            ["doctor", "--adapter", "virtual", "--timeout", "0"],
        ]
    )
    func refusesInvalidInput(arguments: [String]) async {
        let run = await run(arguments)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(run.remarks.hasPrefix("lanyard: "))
        #expect(run.remarks.contains("; "))
        #expect(run.remarks.filter { $0 == "\n" }.count == 1 && run.remarks.hasSuffix("\n"))
        #expect(!run.remarks.contains("\u{1B}"))
    }

    @Test(
        "A number outside the range of its option is refused, also a negative one",
        arguments: [
            (["scan", "--timeout", "-3"], "'-3' is not a valid --timeout"),
            (["scan", "--timeout", "0"], "'0' is not a valid --timeout"),
            (
                ["doctor", "--timeout", "-3", "--adapter", "virtual"],
                "'-3' is not a valid --timeout"
            ),
            (["adapters", "--timeout", "-0.5"], "'-0.5' is not a valid --timeout"),
            (
                ["scan", "--minimum-rssi", "60"],
                "'60' is not a valid --minimum-rssi; did you mean -60?"
            ),
            (["scan", "--minimum-rssi", "-200"], "use a number of dBm from -127 to 20"),
            (["subscribe", "Lamp", "2A37", "--count", "-1"], "'-1' is not a valid --count"),
        ]
    )
    func negativeNumbers(arguments: [String], message: String) async {
        let run = await run(arguments)
        #expect(run.status == .usage && run.remarks.contains(message), "\(run.remarks)")
    }

    @Test("The value of an option is escaped before it is printed")
    func escapedValue() async {
        let run = await run(["scan", "--discovery", "a\u{1B}[2Jb"])
        #expect(run.status == .usage && run.remarks.contains("is not a valid --discovery"))
        #expect(!run.remarks.contains("\u{1B}"))
    }

    @Test(
        "An unknown or misplaced word is refused with advice",
        arguments: [
            (["scann"], "'scann' is not a command; did you mean 'scan'?"),
            (["connect", "Lamp"], "'connect' is a command of the shell; use 'lanyard shell'"),
            (
                ["--adapter", "virtual", "scan"],
                "'--adapter' is before the command; options follow it: 'lanyard scan --adapter'"
            ),
            (
                ["scan", "virtual"],
                "Unexpected argument 'virtual'; did you mean '--adapter virtual'?"
            ),
            (["help", "foo"], "'foo' is not a command; 'lanyard help' lists the commands"),
            (["help", "sevre"], "'sevre' is not a command; did you mean 'serve'?"),
            (["scan", "--rssi"], "Unknown option '--rssi'; did you mean '--minimum-rssi'?"),
            (["scan", "--tim", "3"], "Unknown option '--tim'; did you mean '--timeout'?"),
            (["scan", "--jsn"], "Unknown option '--jsn'; did you mean '--json'?"),
            (["scan", "--foo"], "Unknown option '--foo'; see 'lanyard scan --help'"),
            (["bonds", "remove", "Lamp", "--stor"], "did you mean '--store'?"),
            (["scan", "--adapter", "virtul"], "did you mean 'virtual'?"),
            (
                ["air", "--listen", "foo"],
                "'foo' is not an address to listen at; use tcp:127.0.0.1:PORT or unix:PATH"
            ),
        ]
    )
    func unknownNames(arguments: [String], message: String) async {
        let run = await run(arguments)
        #expect(run.status == .usage && run.remarks.contains(message), "\(run.remarks)")
        #expect(run.output.isEmpty)
    }

    @Test("A directory or a file of another kind is refused with advice")
    func otherFiles() async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (log, recording) = ("\(folder)/a.btsnoop", "\(folder)/b.jsonl")
        try Data("btsnoop\0\0\0\0\u{1}\0\0\u{3}\u{EA}".utf8).write(to: URL(fileURLWithPath: log))
        try Data("{}".utf8).write(to: URL(fileURLWithPath: recording))
        let list = "\(folder)/Info.plist"
        try Data().write(to: URL(fileURLWithPath: list))
        for (arguments, message) in [
            (["trace", folder], "\(folder) is a directory, not a packet log; it contains \(log)"),
            (["doctor", "--info-plist", folder], "not a property list; it contains \(list)"),
            (["timeline", log], "\(log) is a packet log, not a recording; 'lanyard trace"),
            (["trace", recording], "use 'lanyard timeline \(recording) -o PAGE'"),
            (["timeline", log, "-o", "\(folder)/c.html"], "'lanyard trace \(log)' prints it"),
            (
                ["timeline", folder, "-o", "\(folder)/c.html"],
                "not a recording; it contains \(recording)"
            ),
        ] {
            let run = await run(arguments)
            #expect(run.status == .usage && run.remarks.contains(message), "\(run.remarks)")
        }
        let page = await run(["timeline", recording, "-o", "\(folder)/missing/c.html"])
        #expect(page.status == .inputOutput && page.remarks.contains("cannot be written"))
    }

    @Test(
        "The error for a file that cannot be read or made states the reason",
        arguments: [
            (["serve", "/"], "the database / cannot be read: is a directory; "),
            (["run", "/"], "the script / cannot be read: is a directory; "),
            (["air", "--scenario", "/"], "the scenario / cannot be read: is a directory; "),
            (["run", "/nonexistent"], "cannot be read: no such file or directory; "),
            (["timeline", "/nonexistent", "-o", "/tmp/a"], "no such file or directory; "),
            (
                ["scan", "--adapter", "virtual", "--trace", "/"],
                "the trace file / cannot be made: is a directory; "
            ),
            (
                ["scan", "--adapter", "virtual", "--trace", "/dev/full"],
                "the trace file /dev/full cannot be made: no space left on device; "
            ),
            (
                ["extcap", "--capture", "--fifo", "/dev/full", "--log", "/nonexistent"],
                "the output cannot be written: No space left on device; "
            ),
        ]
    )
    func reasons(arguments: [String], message: String) async {
        let run = await run(arguments)
        #expect(run.status == .inputOutput && run.remarks.contains(message), "\(run.remarks)")
    }

    @Test("The packet log and the keys cannot be in one file", arguments: ["", "./"])
    func keysInLog(prefix: String) async {
        let file = "lanyard-keys-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let run = await run(
            [
                "scan", "--adapter", "virtual", "--timeout", "0.1", "--trace", file,
                "--export-keys", prefix + file,
            ]
        )
        #expect(run.status == .usage && run.remarks.contains("--export-keys"), "\(run.remarks)")
    }

    @Test("An adapter that cannot be opened leaves no store behind")
    func leavesNoStore() async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The load of the machine must not decide whether the time limit passes first.
        let adapter = ["scan", "--adapter", "unix:/nonexistent/lanyard", "--timeout", "60"]
        #expect(await run(adapter + ["--store", folder + "/a/b"]).status == .adapterUnavailable)
        #expect(!FileManager.default.fileExists(atPath: folder))
        // A directory that existed before stays.
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        #expect(await run(adapter + ["--store", folder]).status == .adapterUnavailable)
        #expect(FileManager.default.fileExists(atPath: folder))
    }

    @Test("After a write to the virtual radio, a remark states that the value does not last")
    func passingWorld() async {
        let run = await run([
            "write", "Battery Lamp", "4C414E59-4152-4400-A000-000000001A01", "uint8:1",
            "--adapter", "virtual", "--timeout", "60",
        ])
        #expect(run.status == .success, "\(run.remarks)")
        #expect(run.output.hasPrefix("1 byte written to 4C414E59-"))
        #expect(run.remarks.contains("run 'lanyard air' in another terminal"))
    }

    @Test("A question on the virtual radio shows what the accessory displays")
    func virtualDisplay() async throws {
        let remarks = ScriptedAccessory.Recorder()
        var console = Console(
            isOutputTerminal: false,
            isRemarkTerminal: false,
            size: { Console.Size(columns: 80, rows: 24) },
            write: { _ in },
            remark: { remarks.note($0) }
        )
        console.lines = {
            AsyncStream { feed in
                feed.yield(InputLine(text: "y", readAt: .now))
                feed.finish()
            }
        }
        let arguments = [
            "pair", "Front Door", "--mitm", "--io", "display-yes-no", "--answers",
            "--adapter", "virtual",
        ]
        let status = await TimeLimit.$wait.withValue({ _ in await EndOfInput.never() }) {
            [console] in await ProgramRun.run(arguments, on: console)
        }
        let text = remarks.lines.joined()
        #expect(status == .success, "\(text)")
        let shown = try #require(text.firstMatch(of: #/"Front Door" shows (\d{3} \d{3})\./#))
        #expect(text.contains("show \(shown.1)? [y/N] "))
    }

    @Test(
        "If help cannot be written, the reason is printed, unless the output is closed",
        arguments: [["help"], ["--version"], ["scan", "--help"], []]
    )
    func unwritableHelp(arguments: [String]) async {
        let remarks = ScriptedAccessory.Recorder()
        func run(_ failure: ProgramFailure) async -> ProcessStatus {
            let console = Console(
                isOutputTerminal: false,
                isRemarkTerminal: false,
                size: { Console.Size(columns: 80, rows: 24) },
                write: { _ in throw failure },
                remark: { remarks.note($0) }
            )
            return await ProgramRun.run(arguments, on: console)
        }
        #expect(await run(.outputClosed) == .outputClosed && remarks.lines.isEmpty)
        #expect(await run(ProgramFailure(.inputOutput, "the disk is full")) == .inputOutput)
        #expect(remarks.lines == ["lanyard: the disk is full\n"])
    }

    @Test(
        "A wrong or missing argument is refused with a suggestion or advice",
        arguments: [
            (["version"], "'version' is not a command; did you mean '--version'?"),
            (["bonds", "remve", "Lamp"], "did you mean 'remove'?"),
            (["channel", "open"], "see 'lanyard channel open --help'"),
            (["demo", "--trac", "x"], "Unknown option '--trac'; did you mean '--trace'?"),
            (
                ["air", "--seed", "-1"],
                "'-1' is invalid for '--seed <n>'; see 'lanyard air --help'"
            ),
            (["explore", "11:22:33:44:55"], "'11:22:33:44:55' is not a valid address"),
        ]
    )
    func wrongArguments(arguments: [String], line: String) async {
        let run = await run(arguments)
        #expect(run.status == .usage && run.remarks.contains(line), "\(run.remarks)")
    }

    @Test("Adapters that cannot be combined are refused with the reason")
    func adapterLists() async {
        let alone = await run(["scan", "--adapter", "virtual+virtual"])
        #expect(alone.status == .usage)
        #expect(alone.remarks.contains("the adapter 'virtual' works only alone"))
        let twice = await run(["scan", "--adapter", "hci0+hci0"])
        #expect(twice.status == .usage)
        #expect(twice.remarks.contains("the adapter 'hci0' is named twice; name each adapter once"))
    }

    @Test("A value in words that does not fit its fields is refused with advice on the fields")
    func valueInWords() async {
        let write = ["write", "Lamp", "2A6E", "value:21.555", "--adapter", "virtual"]
        #expect(
            await run(write).remarks
                == "lanyard: '21.555' is not a valid Temperature; use a number from -273.15 to "
                + "327.67 °C in steps of 0.01, or \"not known\"\n"
        )
        let fields = await run(["write", "Lamp", "2A1C", "value:21.5", "--adapter", "virtual"])
        #expect(
            fields.remarks.contains(
                "its fields are Temperature, Time Stamp, Temperature Type; "
                    + "write them as 'Temperature=…', with commas between them"
            ),
            "\(fields.remarks)"
        )
    }

    @Test("The name of the device is printed once")
    func nameOnce() async {
        let run = await run(["explore", "thermo", "--adapter", "virtual", "--timeout", "60"])
        #expect(run.status == .success && run.remarks.isEmpty, "\(run.remarks)")
        #expect(run.output.hasPrefix("Thermometer  "))
    }

    @Test("A negative number is accepted as the least signal strength")
    func minimumStrength() async {
        let run = await run([
            "scan", "--minimum-rssi", "-60", "--adapter", "unix:/nonexistent/lanyard", "--no-store",
            "--timeout", "60",
        ])
        #expect(run.status == .adapterUnavailable, "\(run.remarks)")
    }

    @Test("Help is written to standard output", arguments: [["--help"], ["help"], []])
    func printsHelp(arguments: [String]) async {
        let run = await run(arguments)
        #expect(run.status == .success && run.remarks.isEmpty)
        for status in ProcessStatus.allCases { #expect(run.output.contains("\(status.rawValue)")) }
        for name in [
            "demo", "scan", "explore", "read", "write", "subscribe", "serve", "channel", "trace",
            "air", "pair", "bonds", "doctor",
        ] {
            #expect(run.output.contains(name))
        }
    }

    @Test("A missing adapter is exit code 69, and the error contains its path")
    func adapterIsMissing() async {
        let adapter = "unix:/nonexistent/lanyard"
        let run = await run(["scan", "--adapter", adapter, "--no-store", "--timeout", "60"])
        #expect(run.status == .adapterUnavailable)
        #expect(run.remarks.contains("/nonexistent/lanyard"))
    }

    @Test("A trace file that is missing or cannot be made is exit code 74")
    func filesAreMissing() async {
        #expect(await run(["trace", "/nonexistent/file"]).status == .inputOutput)
        let scan = ["scan", "--adapter", "unix:/nonexistent/l", "--trace", "/nonexistent/file"]
        #expect(await run(scan).status == .inputOutput)
    }

    @Test("A file that is not a packet log is exit code 65")
    func fileIsNoLog() async {
        let run = await run(["trace", "/dev/null"])
        #expect(run.status == .badData && run.output.isEmpty)
    }

    @Test("The option or, without it, the environment names the adapter")
    func choosesAdapter() async throws {
        let console = Console.standard
        let environment = ["LANYARD_ADAPTER": "unix:/environment"]
        let plain = try AdapterOptions.parse([])
        let chosen = try plain.session(on: console, environment: environment).adapter
        #expect(chosen == .reached(.unix(path: "/environment")))
        let named = try AdapterOptions.parse(["--adapter", "tcp:[::1]:9000"])
        let other = try named.session(on: console, environment: environment).adapter
        #expect(other == .reached(.tcp(host: "::1", port: 9000)))
    }

    @Test("The environment sets the default of the time limit")
    func defaultTimeout() throws {
        let adapter = ["LANYARD_ADAPTER": "virtual"]
        let plain = try AdapterOptions.parse([])
        let console = Console.standard
        let slow = try plain.session(
            on: console,
            environment: adapter.merging(["LANYARD_TIMEOUT": "60"]) { $1 }
        )
        #expect(slow.limits == StepLimits(seconds: 60))
        let chosen = try AdapterOptions.parse(["--timeout", "5"]).session(
            on: console,
            environment: adapter.merging(["LANYARD_TIMEOUT": "60"]) { $1 }
        )
        #expect(chosen.limits == StepLimits(seconds: 5))
        for text in ["0", "-1", "x", "nan"] {
            let failure = #expect(throws: ProgramFailure.self) {
                try plain.session(
                    on: console,
                    environment: adapter.merging(["LANYARD_TIMEOUT": text]) { $1 }
                )
            }
            #expect(failure?.happened == "'\(text)' is not a valid LANYARD_TIMEOUT")
        }
    }

    @Test("Without a choice, the adapter is the first free one of the machine")
    func choosesOwnAdapter() throws {
        let plain = try AdapterOptions.parse([])
        let own = AdapterChoice.reached(.hci(index: 3))
        for environment in [[:], ["LANYARD_ADAPTER": ""]] {
            let choice = try plain.specification(environment: environment) { own }
            #expect(choice == own)
            let failure = #expect(throws: ProgramFailure.self) {
                try plain.specification(environment: environment) { nil }
            }
            #expect(failure?.happened.contains("this machine has no free one") == true)
            #expect(failure?.status == .adapterUnavailable)
        }
        let named = try plain.specification(environment: ["LANYARD_ADAPTER": "virtual"]) { own }
        #expect(named == .virtual(scenario: nil))
    }

    @Test(
        "An error of the host determines the exit code",
        arguments: [
            (.adapter(.unresponsive), .adapterUnavailable),
            (.adapter(.transport("gone")), .adapterUnavailable),
            (.timedOut, .timedOut), (.disconnected(.connectionTimeout), .inputOutput),
            (.failedToConnect(.connectionFailedToBeEstablished), .inputOutput),
            (.controller(.commandDisallowed), .adapterUnavailable),
            (.unsupported("x"), .adapterUnavailable), (.notSubscribable, .refused),
            (.notificationsOverflowed, .inputOutput), (.closed, .internalError),
        ] as [(HostError, ProcessStatus)]
    )
    func mapsHostErrors(error: HostError, status: ProcessStatus) {
        let failure = ProgramFailure(error, during: "reading")
        #expect(failure.status == status)
        #expect(!failure.line.contains("\n"))
    }
}

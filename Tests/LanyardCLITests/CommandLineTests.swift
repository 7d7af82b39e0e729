// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import Synchronization
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite("The command line") struct CommandLineTests {
    /// The output of a run and its exit code.
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
    func refusesNonsense(arguments: [String]) async {
        let run = await run(arguments)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(run.remarks.hasPrefix("lanyard: "))
        #expect(run.remarks.contains("; "))
        #expect(run.remarks.filter { $0 == "\n" }.count == 1 && run.remarks.hasSuffix("\n"))
        #expect(!run.remarks.contains("\u{1B}"))
    }

    @Test(
        "A negative number is the value of its option",
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

    @Test("The least signal strength is a negative number")
    func minimumStrength() async {
        let run = await run([
            "scan", "--minimum-rssi", "-60", "--adapter", "unix:/nonexistent/lanyard", "--no-store",
        ])
        #expect(run.status == .adapterUnavailable, "\(run.remarks)")
    }

    @Test("Help goes to standard output and is a success", arguments: [["--help"], ["help"], []])
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

    @Test("A missing adapter is exit code 69 with advice")
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

    @Test("The option names the adapter, or else the environment")
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

    @Test("Without a choice, the adapter is the first free one of the computer")
    func choosesOwnAdapter() throws {
        let plain = try AdapterOptions.parse([])
        let own = AdapterChoice.reached(.hci(index: 3))
        for environment in [[:], ["LANYARD_ADAPTER": ""]] {
            let choice = try plain.specification(environment: environment) { own }
            #expect(choice == own)
            let failure = #expect(throws: ProgramFailure.self) {
                try plain.specification(environment: environment) { nil }
            }
            #expect(failure?.happened.contains("this computer has no free one") == true)
            #expect(failure?.status == .adapterUnavailable)
        }
        let named = try plain.specification(environment: ["LANYARD_ADAPTER": "virtual"]) { own }
        #expect(named == .virtual(scenario: nil))
    }

    @Test(
        "The end of the link or the adapter decides the exit code",
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import HCITransports
import Synchronization
import Testing
import VirtualAdapters

@testable import LanyardCLI

@Suite struct CommandLineTests {
    /// What a run printed, and how it ended.
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
        "Nonsense ends in one line on standard error that says what to do, and code 64",
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

    @Test("Help goes to standard output, and is a success", arguments: [["--help"], ["help"], []])
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

    @Test("An adapter that is not there is code 69, and the advice says what to start")
    func adapterIsMissing() async {
        let adapter = "unix:/nonexistent/lanyard"
        let run = await run(["scan", "--adapter", adapter, "--no-store", "--timeout", "60"])
        #expect(run.status == .adapterUnavailable)
        #expect(run.remarks.contains("/nonexistent/lanyard"))
    }

    @Test("A trace file that is not there, or cannot be made, is code 74")
    func filesAreMissing() async {
        #expect(await run(["trace", "/nonexistent/file"]).status == .inputOutput)
        let scan = ["scan", "--adapter", "unix:/nonexistent/l", "--trace", "/nonexistent/file"]
        #expect(await run(scan).status == .inputOutput)
    }

    @Test("A file that is no packet log is code 65")
    func fileIsNoLog() async {
        let run = await run(["trace", "/dev/null"])
        #expect(run.status == .badData && run.output.isEmpty)
    }

    @Test("The adapter comes from the option, or else from the environment")
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

    @Test("Where nobody says which, the adapter is the computer's own, if it has one")
    func choosesOwnAdapter() throws {
        let plain = try AdapterOptions.parse([])
        let own = AdapterChoice.reached(.hci(index: 3))
        for environment in [[:], ["LANYARD_ADAPTER": ""]] {
            let choice = try plain.specification(environment: environment) { own }
            #expect(choice == own)
            let failure = #expect(throws: ProgramFailure.self) {
                try plain.specification(environment: environment) { nil }
            }
            #expect(failure?.happened.contains("this computer has none") == true)
            #expect(failure?.status == .adapterUnavailable)
        }
        let named = try plain.specification(environment: ["LANYARD_ADAPTER": "virtual"]) { own }
        #expect(named == .virtual(scenario: nil))
    }

    @Test(
        "What became of the link or the adapter decides the exit code",
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

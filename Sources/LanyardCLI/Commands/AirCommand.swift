// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import VirtualAdapters

struct AirCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "air",
        abstract: "Run a virtual radio with a controller for each host that connects.",
        discussion: """
            Any Bluetooth host can connect over a socket with HCI packets (H4). Other lanyard commands \
            connect with --adapter. Hosts and accessories receive each other according to their \
            positions. Without --scenario, the radio has the example accessories of --adapter virtual, \
            unless --empty is given. \
            Values and bonds last as long as this command. On a terminal, prints a live table. \
            Otherwise, prints the addresses to connect to, and then one line per event. Ctrl-C ends it.
            """
    )

    @Option(
        help: ArgumentHelp(
            "An address where hosts connect: tcp:HOST:PORT or unix:PATH. Repeat for several.",
            discussion: "The default is tcp:127.0.0.1:6402. Port 0 lets the system choose.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "RootCanal's Link Layer port, tcp:HOST:PORT: its devices join this radio.",
            discussion:
                "RootCanal's option -link_ble_port, by default 6404; see docs/ROOTCANAL.md.",
            valueName: "address"
        )
    )
    var joinRootcanal: String?

    @Option(
        help: ArgumentHelp(
            "The devices, their positions and events; see docs/SCENARIOS.md.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var scenario: String?

    @Flag(help: "Without --scenario: add no example accessories.")
    var empty = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The random seed. The default is the scenario's seed, or a new one.",
            valueName: "n"
        )
    )
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Record the packets of each controller in a btsnoop file of its own.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var trace: String?

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @Flag(
        help: ArgumentHelp(
            "End when standard input ends.",
            discussion: "For a parent process that holds the other end of the pipe."
        )
    )
    var untilEndOfInput = false

    func run(on console: Console) async throws {
        try await session(on: console).run()
    }

    /// Returns the session that the options describe. Throws if they are not valid.
    func session(on console: Console) throws -> AirSession {
        guard !empty || scenario == nil else {
            throw ProgramFailure.usage(
                "--empty and --scenario exclude each other, because a scenario names all devices",
                advice: "leave one of them out"
            )
        }
        let addresses = try (listen.isEmpty ? [Self.defaultAddress] : listen).map(
            AdapterSpecification.listening
        )
        var scenario = try scenario.map(Scenario.read) ?? Scenario()
        if let seed { scenario.seed = seed }
        try trace.map { try Self.makeDirectory($0, on: console) }
        return AirSession(
            scenario: scenario,
            addresses: addresses,
            seed: scenario.seed ?? UInt64.random(in: 0..<Self.madeSeedLimit),
            traceDirectory: trace,
            rootCanal: try joinRootcanal.map(AdapterSpecification.rootCanal),
            hasExamples: self.scenario == nil && !empty,
            isJSON: json,
            console: console,
            isOver: { [untilEndOfInput] in
                await untilEndOfInput ? EndOfInput.wait() : EndOfInput.never()
            }
        )
    }

    /// Creates the directory of the packet logs for its owner alone. An existing directory keeps
    /// its permissions.
    private static func makeDirectory(_ path: String, on console: Console) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw ProgramFailure(
                .inputOutput,
                "the trace directory \(TerminalText.escape(path)) cannot be made",
                advice: "give --trace a directory that you may write to"
            )
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        let name = TerminalText.escape(path)
        console.remark(
            """
            lanyard: other users can list the trace directory \(name) and see the names of its \
            files, but not read the files; 'chmod 700' hides the names\n
            """
        )
    }

    private static let defaultAddress = "tcp:127.0.0.1:6402"
    /// Random seeds are short, so that a person can write them down.
    private static let madeSeedLimit: UInt64 = 1_000_000
}

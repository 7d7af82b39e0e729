// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import VirtualAdapters

struct AirCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "air",
        abstract: "Runs a virtual radio: a controller for every host that connects.",
        discussion: """
            Hosts of any make speak HCI (H4) over the sockets; they hear each other, and the \
            accessories of the scenario, as well as their places allow. On a terminal, a table that \
            is kept up to date; otherwise a line for each thing that happens, of which the first \
            says where it listens. Ends with Ctrl-C.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Where hosts connect: tcp:HOST:PORT or unix:PATH; may be repeated.",
            discussion: "By default tcp:127.0.0.1:6402. Port 0 lets the system choose.",
            valueName: "address"
        )
    )
    var listen: [String] = []

    @Option(
        help: ArgumentHelp(
            "Who is there, where, and what happens; see docs/SCENARIOS.md.",
            valueName: "file"
        )
    )
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "The number from which all chance follows; the scenario's own if it has one.",
            valueName: "n"
        )
    )
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Record what each controller and its host say, one btsnoop file each.",
            valueName: "directory"
        )
    )
    var trace: String?

    @Flag(help: "Print a JSON object a line.")
    var json = false

    @Flag(
        help: ArgumentHelp(
            "End when standard input ends.",
            discussion: "For programs that start it and hold the other end of a pipe."
        )
    )
    var untilEndOfInput = false

    func run(on console: Console) async throws {
        try await session(on: console).run()
    }

    /// The session that the options describe; throws if they make no sense.
    func session(on console: Console) throws -> AirSession {
        let addresses = try (listen.isEmpty ? [Self.defaultAddress] : listen).map(
            AdapterSpecification.listening
        )
        var scenario = try scenario.map(Scenario.read) ?? Scenario()
        if let seed { scenario.seed = seed }
        try trace.map(Self.makeDirectory)
        return AirSession(
            scenario: scenario,
            addresses: addresses,
            seed: scenario.seed ?? UInt64.random(in: 0..<Self.madeSeedLimit),
            traceDirectory: trace,
            isJSON: json,
            console: console,
            isOver: { [untilEndOfInput] in
                await untilEndOfInput ? EndOfInput.wait() : EndOfInput.never()
            }
        )
    }

    private static func makeDirectory(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true
            )
        } catch {
            throw ProgramFailure(
                .inputOutput,
                "the trace directory \(TerminalText.escape(path)) cannot be made",
                advice: "give --trace a directory that you may write to"
            )
        }
    }

    private static let defaultAddress = "tcp:127.0.0.1:6402"
    /// Seeds that nobody chose are short, for people to write down.
    private static let madeSeedLimit: UInt64 = 1_000_000
}

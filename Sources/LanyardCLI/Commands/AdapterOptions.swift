// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports

/// The options of every command that uses an adapter.
struct AdapterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Bluetooth controller: virtual, tcp:HOST:PORT or unix:PATH.",
            discussion: """
                A virtual one needs no hardware: example accessories are around it, or those of \
                virtual:SCENARIO (docs/SCENARIOS.md). Without this option, the environment variable \
                LANYARD_ADAPTER says which.
                """,
            valueName: "adapter"
        )
    )
    var adapter: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: ArgumentHelp("Record all packets in a btsnoop file.", valueName: "file"))
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "How long a step may go without an answer.",
            discussion: """
                By default 4 seconds, and 10 for finding the target.
                """,
            valueName: "seconds"
        )
    )
    var timeout: Double?

    /// The session that the options describe; throws if they make no sense.
    func session(
        on console: Console,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> AdapterSession {
        AdapterSession(
            adapter: try specification(environment: environment),
            traceFile: trace,
            limits: StepLimits(seconds: try seconds),
            console: console
        )
    }

    /// The limit that was asked for.
    var seconds: Double? {
        get throws {
            guard let timeout else { return nil }
            guard timeout > 0, timeout <= Self.longestTimeout else {
                throw ProgramFailure.usage(
                    "--timeout \(timeout) makes no sense",
                    advice: "give seconds, more than 0 and at most \(Int(Self.longestTimeout))"
                )
            }
            return timeout
        }
    }

    private func specification(environment: [String: String]) throws -> AdapterChoice {
        guard let text = adapter ?? environment["LANYARD_ADAPTER"], !text.isEmpty else {
            throw ProgramFailure.usage(
                "no adapter was named",
                advice: "give --adapter \(AdapterChoice.forms), or set LANYARD_ADAPTER"
            )
        }
        return try AdapterChoice(text)
    }

    /// A day.
    private static let longestTimeout = 86400.0
}

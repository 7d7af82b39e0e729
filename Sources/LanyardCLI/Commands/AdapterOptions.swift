// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import VirtualAdapters

/// The options of every command that uses an adapter.
struct AdapterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Bluetooth controller: hci0, hci:ADDRESS, serial:DEVICE, tcp:HOST:PORT, unix:PATH or virtual.",
            discussion: """
                'lanyard adapters' lists those of this computer; docs/LINUX.md says what they take. A \
                virtual one needs no hardware: example accessories are around it, or those of \
                virtual:SCENARIO (docs/SCENARIOS.md). Without this option, the environment variable \
                LANYARD_ADAPTER says which; without that, it is the first of this computer's that may \
                be taken.
                """,
            valueName: "adapter"
        )
    )
    var adapter: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Record all packets in a btsnoop file, with zeros in place of keys.",
            valueName: "file"
        )
    )
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Write the keys that encrypt links to a file, and let --trace record them too.",
            discussion: "For 'lanyard trace --keys' and sniffers. Whoever has them can listen.",
            valueName: "file"
        )
    )
    var exportKeys: String?

    @OptionGroup var storage: StoreOptions

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
        // A limit that makes no sense is told before an adapter that is not there.
        let limits = StepLimits(seconds: try seconds)
        let adapter = try specification(environment: environment)
        return AdapterSession(
            adapter: adapter,
            traceFile: trace,
            limits: limits,
            console: console,
            store: try storage.choice(for: adapter, environment: environment),
            keyFile: exportKeys
        )
    }

    /// The limit that was asked for.
    var seconds: Double? {
        get throws { try Self.seconds(timeout) }
    }

    /// A limit that makes sense; throws if it does not.
    static func seconds(_ timeout: Double?) throws(ProgramFailure) -> Double? {
        guard let timeout else { return nil }
        guard timeout > 0, timeout <= longestTimeout else {
            throw .usage(
                "--timeout \(timeout) makes no sense",
                advice: "give seconds, more than 0 and at most \(Int(longestTimeout))"
            )
        }
        return timeout
    }

    /// The adapter that the options, or else the environment, name; or else the computer's own, if it
    /// has one that may be taken.
    func specification(
        environment: [String: String],
        ofSystem: () -> AdapterChoice? = AdapterChoice.ofSystem
    ) throws -> AdapterChoice {
        if let text = adapter ?? environment["LANYARD_ADAPTER"], !text.isEmpty {
            return try AdapterChoice(said: text)
        }
        guard let choice = ofSystem() else {
            // Not a matter of what was typed: a service that is started again finds one that has come.
            throw ProgramFailure(
                .adapterUnavailable,
                "no adapter was named, and this computer has none that may be taken",
                advice: "give --adapter \(AdapterChoice.forms), or set LANYARD_ADAPTER"
            )
        }
        return choice
    }

    /// A day.
    private static let longestTimeout = 86400.0
}

// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import HCITransports
import VirtualAdapters

/// The options of the commands that open an adapter.
struct AdapterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Bluetooth controller: hci0, hci:ADDRESS, serial:DEVICE, tcp:HOST:PORT, unix:PATH, gateway:HOST:PORT, bluez or virtual.",
            discussion: """
                'lanyard adapters' lists the adapters of this machine; docs/LINUX.md describes the \
                permission that they need. 'virtual' needs no hardware: it has example accessories \
                around it, and virtual:SCENARIO has those of a file (docs/SCENARIOS.md). Several names \
                with '+' between them work as one adapter (docs/ROAMING.md). 'bluez' is the system's \
                Bluetooth daemon, for scan, explore, read, write, subscribe, pair, bonds, shell, run and serve \
                (docs/BLUEZ.md). The default is the environment variable LANYARD_ADAPTER, or else the first free adapter of \
                this machine. If none is free, or the program may not take it, the commands above \
                use the daemon, if it has an adapter.
                """,
            valueName: "adapter"
        ),
        completion: .adapters
    )
    var adapter: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Record all packets in a btsnoop file. Without --export-keys, zeros replace the keys.",
            valueName: "file"
        ),
        completion: .file()
    )
    var trace: String?

    @Option(
        help: ArgumentHelp(
            "Write the encryption keys of links to a file, and keep them in --trace.",
            discussion:
                "For 'lanyard trace --keys' and sniffers. The keys decrypt all recorded traffic.",
            valueName: "file"
        ),
        completion: .file()
    )
    var exportKeys: String?

    @OptionGroup var storage: StoreOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for each step.",
            discussion: """
                The default is the environment variable LANYARD_TIMEOUT, or else 4 seconds, and 10 \
                seconds to find the target.
                """,
            valueName: "seconds"
        )
    )
    var timeout: Double?

    /// Returns the session that the options describe.
    ///
    /// - Parameter worksOnDaemon: Whether the command also runs on the Bluetooth daemon, which
    ///   gives no access to its controller.
    /// - Throws: A `ProgramFailure` if the options are not valid, or if there is no adapter.
    func session(
        on console: Console,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        worksOnDaemon: Bool = false
    ) throws -> AdapterSession {
        // An invalid limit is reported before a missing adapter.
        let limits = StepLimits(seconds: try seconds ?? Self.seconds(in: environment))
        if let trace, let exportKeys,
            URL(fileURLWithPath: trace).resolvingSymlinksInPath().path
                == URL(fileURLWithPath: exportKeys).resolvingSymlinksInPath().path
        {
            throw ProgramFailure.usage(
                "--trace and --export-keys name the same file",
                advice: "give each a file of its own"
            )
        }
        let adapter = try specification(environment: environment) {
            worksOnDaemon ? AdapterChoice.ofApplications() : AdapterChoice.ofSystem()
        }
        if case .daemon = adapter, !worksOnDaemon {
            throw ProgramFailure(AdapterChoiceError.daemonWithoutController)
        }
        return AdapterSession(
            adapter: adapter,
            traceFile: trace,
            limits: limits,
            console: console,
            store: try storage.choice(for: adapter, environment: environment),
            keyFile: exportKeys
        )
    }

    /// The limit that `--timeout` gives, in seconds.
    var seconds: Double? {
        get throws { try Self.seconds(timeout) }
    }

    /// Returns the limit in seconds that the environment variable LANYARD_TIMEOUT gives; `nil` if
    /// the variable is not set or is empty.
    static func seconds(in environment: [String: String]) throws(ProgramFailure) -> Double? {
        guard let text = environment["LANYARD_TIMEOUT"], !text.isEmpty else { return nil }
        return try valid(Double(text), TerminalText.escape(text), "LANYARD_TIMEOUT")
    }

    /// Returns the limit. Throws if it is not valid.
    static func seconds(_ timeout: Double?) throws(ProgramFailure) -> Double? {
        guard let timeout else { return nil }
        return try valid(timeout, text(of: timeout), "--timeout")
    }

    private static func valid(
        _ number: Double?,
        _ text: String,
        _ name: String
    ) throws(ProgramFailure) -> Double {
        guard let number, number > 0, number <= longestTimeout else {
            throw .usage(
                "'\(text)' is not a valid \(name)",
                advice: "use a number of seconds greater than 0 and at most \(Int(longestTimeout))"
            )
        }
        return number
    }

    /// Returns the number as a person writes it.
    private static func text(of number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }

    /// Returns the adapter that the option or the environment names, or else the system's default,
    /// which `ofSystem` returns.
    func specification(
        environment: [String: String],
        ofSystem: () -> AdapterChoice? = AdapterChoice.ofSystem
    ) throws -> AdapterChoice {
        if let named = try Self.named(adapter, environment: environment) { return named }
        guard let choice = ofSystem() else {
            // Not a usage error: when a service manager starts the command again, an adapter may be
            // present.
            throw ProgramFailure(
                .adapterUnavailable,
                "no adapter was named, and this machine has no free one",
                advice: "give --adapter \(AdapterChoice.forms), or set LANYARD_ADAPTER"
            )
        }
        return choice
    }

    /// Returns the adapter that an option or the environment names; `nil` if neither does.
    static func named(
        _ option: String?,
        environment: [String: String]
    ) throws -> AdapterChoice? {
        guard let text = option ?? environment["LANYARD_ADAPTER"], !text.isEmpty else { return nil }
        return try AdapterChoice(commandLine: text)
    }

    /// One day, in seconds.
    private static let longestTimeout = 86400.0
}

/// The options that choose the directory of the bonds.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The directory of the bonds.",
            discussion: """
                The default is one directory per adapter in $XDG_STATE_HOME/lanyard or \
                ~/.local/state/lanyard. A virtual adapter has no store by default, because its \
                accessories end with the command. The Bluetooth daemon stores its own bonds.
                """,
            valueName: "directory"
        ),
        completion: .directory
    )
    var store: String?

    @Flag(help: "Use no stored bonds and store none.")
    var noStore = false

    /// Returns the store of the bonds for this adapter.
    func choice(
        for adapter: AdapterChoice,
        environment: [String: String]
    ) throws(ProgramFailure) -> StoreChoice {
        if let explicit { return try explicit.get() }
        switch adapter {
        case .reached(let first):
            return StoreChoice.ofAdapter(first, environment: environment).resolved
        case .radios(let list):
            // All adapters use the bonds of the first one.
            return list.first.map { StoreChoice.ofAdapter($0, environment: environment).resolved }
                ?? .none
        case .virtual, .daemon: return .none
        }
    }

    /// The store that the options name for any adapter; `nil` if they name none.
    var explicit: Result<StoreChoice, ProgramFailure>? {
        switch (store, noStore) {
        case (nil, false): nil
        case (nil, true): .success(.none)
        case ("", _), (_?, true):
            .failure(
                .usage(
                    "--store needs a directory, and cannot be combined with --no-store",
                    advice: "use --store DIRECTORY or --no-store"
                )
            )
        case (let directory?, false): .success(.directory(directory))
        }
    }
}

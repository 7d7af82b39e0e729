// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct AdaptersCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "List the Bluetooth adapters of this machine and their users.",
        discussion: """
            Prints one line per adapter: name, address, bus, and the programs that use it. \
            --probe opens and resets the free adapters to read their features, which needs a \
            permission: see docs/LINUX.md.
            """
    )

    @Flag(help: "Also print the features of free adapters.")
    var probe = false

    @Flag(help: "Keep running, and print each change.")
    var watch = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for an adapter's answer (default: 4).",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @Flag(help: "Print JSON. With --watch, one object per line.")
    var json = false

    func run(on console: Console) async throws {
        let limits = StepLimits(seconds: try AdapterOptions.seconds(timeout))
        try await run(AdapterList.Sources { await .ask($0, limits, console) }, on: console)
    }

    /// Lists the adapters of those sources.
    func run(_ sources: AdapterList.Sources, on console: Console) async throws {
        guard !(probe && watch) else {
            throw ProgramFailure.usage(
                "--probe and --watch exclude each other",
                advice: "use one of them"
            )
        }
        let list = AdapterList(sources: sources, isJSON: json, console: console)
        if watch { try await list.watch() } else { try await list.show(asks: probe) }
    }
}

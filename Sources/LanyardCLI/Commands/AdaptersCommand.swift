// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct AdaptersCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "Lists the adapters of this computer, what each can do, and who has it.",
        discussion: """
            A line each: its name, address, how it is attached, and whether it can be had. To list \
            them changes nothing. To ask them what they can do (--probe) opens and resets those that \
            nobody uses, which wants the permission to take them: see docs/LINUX.md.
            """
    )

    @Flag(help: "Ask those that nobody uses what they can do.")
    var probe = false

    @Flag(help: "Go on, and tell of each that comes, goes or changes hands.")
    var watch = false

    @Option(help: ArgumentHelp("How long an adapter may take to answer (4).", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Print JSON; with --watch, an object a line.")
    var json = false

    func run(on console: Console) async throws {
        let limits = StepLimits(seconds: try AdapterOptions.seconds(timeout))
        try await run(AdapterList.Sources { await .ask($0, limits, console) }, on: console)
    }

    /// Lists what comes of those sources.
    func run(_ sources: AdapterList.Sources, on console: Console) async throws {
        guard !(probe && watch) else {
            throw ProgramFailure.usage(
                "--probe and --watch do not go together",
                advice: "give one of them"
            )
        }
        let list = AdapterList(sources: sources, isJSON: json, console: console)
        if watch { try await list.watch() } else { try await list.show(asks: probe) }
    }
}

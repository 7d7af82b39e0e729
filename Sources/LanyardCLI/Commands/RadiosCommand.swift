// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothHost
import BluetoothPort
import BluetoothRadios
import VirtualAdapters

struct RadiosCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "radios",
        abstract: "Show how well each of several adapters receives each device.",
        discussion: """
            --adapter names the adapters, with '+' between them (docs/ROAMING.md). With a target, \
            connects to it first, and shows the adapter of its link and the reason for it. Once a \
            second, updates a table on a terminal. Otherwise, prints a new table, or with --json an \
            object. Ends after --timeout seconds or with Ctrl-C.
            """
    )

    @Argument(help: LanyardCommand.targetHelp, completion: .targets) var target: String?

    @Option(
        help: ArgumentHelp(
            "Always connect the target through this adapter, in all programs.",
            valueName: "adapter"
        )
    )
    var pin: String?

    @Flag(help: "Let the adapters choose again, after --pin.")
    var unpin = false

    @OptionGroup var options: AdapterOptions

    /// The time between two reports.
    private static let period = Duration.seconds(1)

    func run(on console: Console) async throws {
        let wanted = try target.map { try Target($0) }
        let session = try options.session(on: console)
        guard case .radios = session.adapter else {
            throw ProgramFailure.usage(
                "this command compares several adapters, and only one is named",
                advice: "give several with '+' between them, such as --adapter hci0+hci1"
            )
        }
        if pin != nil || unpin { return try await choose(for: wanted, session, console) }
        let limit = try options.seconds.map { Duration.seconds($0) }
        try await session.withRadios { radios in
            let devices = ReceivedDevices()
            // The search runs before the time limit of the table, so an unknown target is an error.
            let link = try await connect(to: wanted, session, radios, devices)
            let watch: @Sendable () async throws -> Void = {
                try await FirstResult.of([
                    { @Sendable in try await devices.receive(radios.scan(reportsDuplicates: true))
                    },
                    { @Sendable in try await print(devices, of: radios, on: console) },
                    { @Sendable in
                        guard let link else { return await EndOfInput.never() }
                        throw ProgramFailure(try await link.ended(), during: "showing the link")
                    },
                ])
            }
            guard let limit else { return try await watch() }
            _ = try await TimeLimit.run(limit, watch)
        }
    }

    /// Connects to the target. Returns the link; `nil` if there is no target.
    private func connect(
        to target: Target?,
        _ session: AdapterSession,
        _ radios: RadioGroup,
        _ devices: ReceivedDevices
    ) async throws -> Link? {
        guard let target else { return nil }
        let (link, found) = try await session.connect(to: target, on: radios)
        devices.connected(link.address, name: found.name)
        return link
    }

    /// Sets the adapter of the target, or lets the signal strengths decide again.
    private func choose(
        for target: Target?,
        _ session: AdapterSession,
        _ console: Console
    ) async throws {
        guard let target, (pin == nil) == unpin else {
            throw ProgramFailure.usage(
                "--pin and --unpin are for one target, and exclude each other",
                advice: "give a target and one of them"
            )
        }
        let name = try pin.map { text in
            guard case .reached(let adapter) = try AdapterChoice(commandLine: text) else {
                throw ProgramFailure.usage(
                    "'\(TerminalText.escape(text))' is not one of several adapters",
                    advice: "give one of the names in --adapter"
                )
            }
            return adapter.description
        }
        try await session.withRadios { radios in
            let bonds = await radios.accessoryBonds()
            let found = try await TargetFinder(limits: session.limits, bonds: bonds) {
                radios.scan()
            }.find(target)
            guard await radios.pin(found.address, toRadio: name) else {
                if name.map(radios.names.contains) ?? true {
                    throw ProgramFailure(
                        .inputOutput,
                        "the choice cannot be stored",
                        advice: "the store has no room for it, or its limit of choices is reached;"
                            + " 'lanyard radios --unpin' removes a choice"
                    )
                }
                throw ProgramFailure.usage(
                    "\(name ?? "") is not one of the adapters",
                    advice: "give one of \(radios.names.joined(separator: ", "))"
                )
            }
            let path = name.map { "always by \($0)" } ?? "by the best signal"
            console.remark("\(AddressText.describe(found.address)): \(path)\n")
        }
    }

    private func print(
        _ devices: ReceivedDevices,
        of radios: RadioGroup,
        on console: Console
    ) async throws {
        var area = LiveArea()
        let isLive = console.isOutputTerminal && !options.json
        defer { if isLive { try? console.write(area.end()) } }
        while true {
            try await Task.sleep(for: Self.period)
            let table = await RadioTable(devices, of: radios)
            if options.json {
                try console.print(table.json.timed().compact)
                continue
            }
            let size = console.size()
            let lines = table.lines(columns: size.columns)
            if isLive {
                try console.write(area.draw(Array(lines.prefix(max(size.rows - 1, 1)))))
            } else {
                try console.print(lines.joined(separator: "\n") + "\n")
            }
        }
    }
}

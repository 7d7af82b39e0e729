// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGAP
import BluetoothTypes

struct ScanCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Shows the accessories that advertise.",
        discussion: """
            On a terminal, a table that is kept up to date; otherwise a line whenever an accessory \
            says something new, with --json as an object. Ends after --timeout seconds, or with \
            Ctrl-C.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only accessories with this service; may be repeated.",
            valueName: "uuid"
        )
    )
    var service: [String] = []

    @Option(help: ArgumentHelp("Only accessories whose name begins so.", valueName: "prefix"))
    var name: String?

    @Option(help: ArgumentHelp("Only signals at least this strong.", valueName: "dBm"))
    var minimumRSSI: Int?

    @Flag(help: "Only listen; do not ask accessories for more.")
    var passive = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let filter = try filter
        let session = try options.session(on: console)
        let limit = try options.seconds.map { Duration.seconds($0) }
        let isLive = console.isOutputTerminal && !options.json
        var parameters = ScanParameters()
        parameters.isActive = !passive
        try await session.withHost { [parameters] host in
            let scan = host.scan(
                for: filter,
                parameters: parameters,
                reportsDuplicates: isLive
            )
            let watch: @Sendable () async throws -> Void = {
                if isLive {
                    let live = LiveScan(console: console, now: { host.executor.now })
                    try await live.run(scan)
                } else {
                    try await printLines(scan, on: console)
                }
            }
            guard let limit else { return try await watch() }
            _ = try await TimeLimit.run(limit, watch)
        }
    }

    private func printLines(
        _ scan: AsyncThrowingStream<Advertisement, any Error>,
        on console: Console
    ) async throws {
        var lines = ScanLines()
        for try await advertisement in scan {
            if options.json {
                try console.print(advertisement.json.compact)
            } else if let line = lines.line(for: advertisement) {
                try console.print(line)
            }
        }
    }

    private var filter: ScanFilter {
        get throws {
            var filter = ScanFilter()
            for text in service {
                guard let uuid = BluetoothUUID(text) else {
                    throw ProgramFailure.usage(
                        "'\(TerminalText.escape(text))' is no UUID",
                        advice: "write 4, 8 or 32 hexadecimal digits, such as 180F"
                    )
                }
                filter.services.insert(uuid)
            }
            filter.namePrefix = name
            filter.minimumRSSI = minimumRSSI
            return filter
        }
    }
}

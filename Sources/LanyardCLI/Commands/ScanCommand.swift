// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGAP
import BluetoothTypes

struct ScanCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the devices that advertise.",
        discussion: """
            On a terminal, prints a live table. Otherwise, prints one line per new or changed \
            advertisement, with --json as an object. Ends after --timeout seconds or with Ctrl-C.
            """
    )

    @Option(
        help: ArgumentHelp(
            """
            Only devices that advertise this service: a UUID (180D) or a name ("Heart Rate"). \
            Repeat for several.
            """,
            valueName: "service"
        )
    )
    var service: [String] = []

    @Option(help: ArgumentHelp("Only devices whose name has this prefix.", valueName: "prefix"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only devices with at least this signal strength, such as -60.",
            valueName: "dBm"
        )
    )
    var minimumRSSI: Int?

    @Flag(help: "Scan passively: send no scan requests.")
    var passive = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let filter = try filter
        let session = try options.session(on: console)
        let limit = try options.seconds.map { Duration.seconds($0) }
        let isLive = console.isOutputTerminal && !options.json
        var parameters = ScanParameters()
        parameters.isActive = !passive
        let silence = ScanSilence(hasFilter: hasFilter, console: console)
        try await session.withHost { [parameters] host in
            let scan = host.scan(
                for: filter,
                parameters: parameters,
                reportsDuplicates: isLive
            )
            let watch: @Sendable () async throws -> Void = {
                if isLive {
                    let live = LiveScan(
                        console: console,
                        received: silence.received,
                        now: { host.executor.now }
                    )
                    try await live.run(scan)
                } else {
                    try await printLines(scan, silence, on: console)
                }
            }
            guard let limit else {
                return isLive ? try await watch() : try await silence.report(during: watch)
            }
            _ = try await TimeLimit.run(limit, watch)
            silence.report(after: limit)
        }
    }

    private var hasFilter: Bool { !service.isEmpty || name != nil || minimumRSSI != nil }

    private func printLines(
        _ scan: AsyncThrowingStream<Advertisement, any Error>,
        _ silence: ScanSilence,
        on console: Console
    ) async throws {
        var lines = ScanLines()
        for try await advertisement in scan {
            silence.received.set()
            if options.json {
                try console.print(advertisement.json.timed().compact)
            } else if let line = lines.line(for: advertisement) {
                try console.print(line)
            }
        }
    }

    private var filter: ScanFilter {
        get throws {
            var filter = ScanFilter()
            for text in service { filter.services.insert(try BluetoothUUID(service: text)) }
            filter.namePrefix = name
            filter.minimumRSSI = try strength
            return filter
        }
    }

    /// The strength of `--minimum-rssi`, in dBm.
    private var strength: Int? {
        get throws(ProgramFailure) {
            guard let minimumRSSI else { return nil }
            guard Self.strengths.contains(minimumRSSI) else {
                let range = "from \(Self.strengths.lowerBound) to \(Self.strengths.upperBound)"
                throw .usage(
                    "'\(minimumRSSI)' is not a valid --minimum-rssi",
                    advice: Self.strengths.contains(-minimumRSSI)
                        ? "did you mean -\(minimumRSSI)?" : "use a number of dBm \(range)"
                )
            }
            return minimumRSSI
        }
    }

    /// The strengths that a controller reports (Vol 4, Part E, 7.7.65.2).
    private static let strengths = -127...20
}

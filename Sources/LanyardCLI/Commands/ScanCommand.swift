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

    @OptionGroup var scan: ScanOptions
    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let filter = try scan.filter
        let session = try options.session(on: console)
        let limit = try options.seconds.map { Duration.seconds($0) }
        let isLive = console.isOutputTerminal && !options.json
        let silence = ScanSilence(hasFilter: scan.hasFilter, console: console)
        try await session.withHost { host in
            let discoveries = host.scan(
                for: filter,
                parameters: scan.parameters,
                reportsDuplicates: isLive
            )
            let watch: @Sendable () async throws -> Void = {
                if isLive {
                    let live = LiveScan(
                        console: console,
                        received: silence.received,
                        now: { host.executor.now }
                    )
                    try await live.run(discoveries)
                } else {
                    try await printLines(discoveries, silence, on: console)
                }
            }
            guard let limit else {
                return isLive ? try await watch() : try await silence.report(during: watch)
            }
            _ = try await TimeLimit.run(limit, watch)
            silence.report(after: limit)
        }
    }

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
}

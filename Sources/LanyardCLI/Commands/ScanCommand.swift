// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BluetoothGAP
import BluetoothTypes
import Foundation

struct ScanCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the devices that advertise.",
        discussion: """
            On a terminal, prints a live table, which q ends. Otherwise, prints a line for each new \
            device and each change of its name or contents, or, with --json, an object for each new \
            or changed advertisement. --csv prints each advertisement with its signal strength. \
            Ends after --timeout seconds or with Ctrl-C.
            """
    )

    @OptionGroup var scan: ScanOptions

    @Flag(help: "Print comma-separated values: a line of names, then one line per advertisement.")
    var csv = false

    @Flag(help: "Show the signal strength over time, as the key g does.")
    var plot = false

    @OptionGroup var options: AdapterOptions

    func run(on console: Console) async throws {
        let filter = try scan.filter
        try checkForms(on: console)
        let session = try options.session(on: console, worksOnDaemon: true)
        let limit = try options.seconds.map { Duration.seconds($0) }
        let isLive = console.isOutputTerminal && !options.json && !csv
        let silence = ScanSilence(hasFilter: scan.hasFilter, console: console)
        try await session.withCentral { central in
            let discoveries = try await central.discoveries(
                for: filter,
                parameters: scan.parameters,
                reportsDuplicates: isLive || csv
            )
            let watch: @Sendable () async throws -> Void = {
                if isLive {
                    let live = LiveScan(
                        console: console,
                        showsPlot: plot,
                        received: silence.received,
                        now: { central.currentTime }
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

    /// Checks that the output has one form, and that a plot has a terminal.
    private func checkForms(on console: Console) throws(ProgramFailure) {
        guard !csv || !options.json else {
            throw .usage("--csv and --json exclude each other", advice: "leave one of them out")
        }
        guard plot else { return }
        guard !csv, !options.json else {
            throw .usage("--plot is for a terminal", advice: "leave --csv and --json out")
        }
        guard console.isOutputTerminal else {
            throw .usage(
                "--plot needs a terminal",
                advice: "--csv prints the signal strengths for other programs"
            )
        }
    }

    private func printLines(
        _ scan: AsyncThrowingStream<Advertisement, any Error>,
        _ silence: ScanSilence,
        on console: Console
    ) async throws {
        var lines = ScanLines()
        if csv { try console.print(ScanRecord.title) }
        for try await advertisement in scan {
            silence.received.set()
            if csv {
                try console.print(ScanRecord.line(advertisement, at: Date()))
            } else if options.json {
                try console.print(advertisement.json.timed().compact)
            } else if let line = lines.line(for: advertisement) {
                try console.print(line)
            }
        }
    }
}

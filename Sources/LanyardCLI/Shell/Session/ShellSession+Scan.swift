// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import JSONText
import Synchronization

// Discoveries.
extension ShellSession {
    /// The time of a scan without a limit that is not shown live.
    static let scanTime = Duration.seconds(5)
    /// The maximum number of lines that an expectation can use.
    static let scanLineLimit = 1_000

    /// Scans: with a live table until a key ends it, or for a time with a line for each change.
    func scan(_ request: ShellOperation.ScanRequest, line: Int) async throws -> ShellOutput {
        let isLive =
            request.limit == nil && environment.isInteractive && !environment.printer.isJSON
        let discoveries = remember(
            try await central.discoveries(
                for: request.filter,
                parameters: request.parameters,
                reportsDuplicates: isLive
            )
        )
        guard !isLive else {
            try await LiveScan(
                console: environment.console,
                now: { [central] in central.currentTime }
            ).run(discoveries)
            return Self.output([])
        }
        return try await list(discoveries, request, line: line)
    }

    private func list(
        _ discoveries: AsyncThrowingStream<Advertisement, any Error>,
        _ request: ShellOperation.ScanRequest,
        line: Int
    ) async throws -> ShellOutput {
        let printer = environment.printer
        let silence = ScanSilence(hasFilter: request.hasFilter, console: printer.console)
        let shown = Mutex<[String]>([])
        let limit = request.limit ?? Self.scanTime
        _ = try await TimeLimit.run(limit) {
            var lines = ScanLines()
            for try await advertisement in discoveries {
                silence.received.set()
                guard let text = lines.line(for: advertisement) else { continue }
                shown.withLock { if $0.count < Self.scanLineLimit { $0.append(text) } }
                if printer.isJSON {
                    try printer.report(
                        .result(line: line, command: "scan", advertisement.json)
                    )
                } else {
                    let console = printer.console
                    try console.print(
                        console.isOutputTerminal
                            ? advertisement.line(columns: console.size().columns) : text
                    )
                }
            }
        }
        silence.report(after: limit)
        return Self.output(shown.withLock { $0 })
    }

    private static func output(_ lines: [String]) -> ShellOutput {
        var output = ShellOutput(
            lines.joined(separator: "\n"),
            .object([.init("devices", .integer(lines.count))])
        )
        output.isPrinted = true
        return output
    }

    /// Remembers the names of devices for completion.
    private func remember(
        _ scan: AsyncThrowingStream<Advertisement, any Error>
    ) -> AsyncThrowingStream<Advertisement, any Error> {
        AsyncThrowingStream { [self] in
            var iterator = scan.makeAsyncIterator()
            guard let advertisement = try await iterator.next() else { return nil }
            note(advertisement)
            return advertisement
        }
    }

    /// Scans for the names of devices for a short time, if none is known yet.
    func learnNames(within limit: Duration) async {
        guard state.withLock({ $0.names.isEmpty }) else { return }
        _ = try? await TimeLimit.run(limit) { [self] in
            for try await advertisement in try await central.discoveries() { note(advertisement) }
        }
    }

    private func note(_ advertisement: Advertisement) {
        guard let name = advertisement.data.localName else { return }
        change { $0.remember(name) }
    }
}

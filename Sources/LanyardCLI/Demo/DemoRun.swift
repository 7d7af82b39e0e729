// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation

    /// One run of the demo, with the files that it writes.
    struct DemoRun: Sendable {
        /// The directory for packet logs.
        let trace: String?
        /// The file for the page.
        let timeline: String?
        /// Whether the demo runs as fast as possible on a terminal too.
        let isFast: Bool

        func run(on console: Console) async throws {
            let printer = DemoPrinter(console: console, chapters: DemoScript.titles)
            try await withLogs { logs in
                if let timeline { try TimelinePage.checkPlace(timeline) }
                let environment = try DemoEnvironment(printer: printer, tracingInto: logs)
                let pace = DemoPace(isReal: printer.isLive && !isFast)
                let start = ContinuousClock.now
                do {
                    try await DemoScript(printer: printer, environment: environment, pace: pace)
                        .run()
                    try printer.end()
                } catch {
                    try? printer.end()
                    throw ProgramFailure(error, during: "the demo")
                }
                let real = ContinuousClock.now - start
                try console.print(Self.summary(printer, virtual: environment.world.now, real: real))
                try leave(environment, logs, on: console)
            }
        }

        private static func summary(
            _ printer: DemoPrinter,
            virtual: Duration,
            real: Duration
        ) -> String {
            """

            All \(printer.checks) checks passed, \
            \(SecondsText.describe(virtual.wholeTenths)) of virtual time in \
            \(SecondsText.describe(real.wholeTenths)).
            """
        }

        // MARK: Files

        /// Creates the directory for packet logs if they are needed. If only the page needs them,
        /// the directory is temporary.
        private func withLogs(_ body: (String?) async throws -> Void) async throws {
            guard trace != nil || timeline != nil else { return try await body(nil) }
            let folder = trace ?? NSTemporaryDirectory() + "lanyard-demo-\(UUID().uuidString)"
            do {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
            } catch {
                throw ProgramFailure(
                    .inputOutput,
                    "the directory \(TerminalText.escape(folder)) cannot be made",
                    advice: "give another one"
                )
            }
            defer { if trace == nil { try? FileManager.default.removeItem(atPath: folder) } }
            try await body(folder)
        }

        private func leave(_ environment: DemoEnvironment, _ logs: String?, on console: Console)
            throws
        {
            if let failure = environment.world.air.traceFailure {
                throw ProgramFailure(
                    .inputOutput,
                    "the packet logs are not complete: \(TerminalText.escape("\(failure)"))",
                    advice: trace == nil
                        ? "set TMPDIR to a directory that you may write to and that has space"
                        : "give --trace a directory that you may write to and that has space"
                )
            }
            if let trace {
                let name = TerminalText.escape(trace)
                try console.print("\(name): packet logs, for lanyard trace or Wireshark")
            }
            guard let timeline else { return }
            var page = try environment.timeline(packetsFrom: logs)
            page.fit()
            try TimelinePage(timeline: page).write(to: timeline)
            try console.print("\(TerminalText.escape(timeline)): \(page.summary)")
        }
    }
#endif

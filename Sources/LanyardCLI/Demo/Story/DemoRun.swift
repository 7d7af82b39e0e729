// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Foundation

    /// One telling of the story, with what it leaves behind.
    struct DemoRun: Sendable {
        /// Where packet logs go.
        let trace: String?
        /// Where the page goes.
        let timeline: String?
        /// Whether nobody has to follow.
        let isFast: Bool

        func run(on console: Console) async throws {
            let teller = StoryTeller(console: console, chapters: DemoStory.titles)
            try await withLogs { logs in
                let stage = try DemoStage(teller: teller, tracingInto: logs)
                let pace = DemoPace(isReal: teller.isLive && !isFast)
                let start = ContinuousClock.now
                do {
                    try await DemoStory(teller: teller, stage: stage, pace: pace).tell()
                    try teller.end()
                } catch {
                    try? teller.end()
                    throw ProgramFailure(error, during: "the demonstration")
                }
                let real = ContinuousClock.now - start
                try console.print(Self.summary(teller, virtual: stage.world.now, real: real))
                try leave(stage, logs, on: console)
            }
        }

        private static func summary(
            _ teller: StoryTeller,
            virtual: Duration,
            real: Duration
        ) -> String {
            """

            All of it worked: \(teller.checks) things checked, \
            \(SecondsText.describe(virtual.wholeTenths)) of virtual time in \
            \(SecondsText.describe(real.wholeTenths)).
            """
        }

        // MARK: What stays

        /// Makes a place for packet logs, if any are needed: one that goes again, if only the page needs
        /// them.
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

        private func leave(_ stage: DemoStage, _ logs: String?, on console: Console) throws {
            if let trace {
                let name = TerminalText.escape(trace)
                try console.print("\(name): packet logs, for lanyard trace or Wireshark")
            }
            guard let timeline else { return }
            var page = try stage.timeline(packetsFrom: logs)
            page.fit()
            try TimelinePage(timeline: page).write(to: timeline)
            try console.print("\(TerminalText.escape(timeline)): \(page.summary)")
        }
    }
#endif

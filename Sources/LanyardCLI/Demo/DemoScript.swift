// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Lanyard
    import LanyardTesting

    /// The demo, chapter by chapter: four accessories and a phone. Each chapter checks the events
    /// that it prints.
    struct DemoScript: Sendable {
        let printer: DemoPrinter
        let environment: DemoEnvironment
        let pace: DemoPace

        /// The maximum virtual time that the demo may take.
        private static let bound = Duration.seconds(600)
        /// The time for which the title of a chapter is shown before the first event.
        private static let readingPause = Duration.milliseconds(450)

        private struct Chapter {
            let title: String
            /// The virtual seconds that pass in a real second.
            let speed: Double
            let play: @Sendable (DemoScript) async throws -> Void
        }

        private static let chapters = [
            Chapter(title: "Pairing", speed: 1.6) { try await $0.playPairing() },
            Chapter(title: "Messages", speed: 1.6) { try await $0.playMessages() },
            Chapter(title: "Away and back", speed: 20) { try await $0.playRange() },
            Chapter(title: "Restart", speed: 2.5) { try await $0.playRestart() },
            Chapter(title: "Keys lost", speed: 3.5) { try await $0.playLostKeys() },
            Chapter(title: "Slots", speed: 3.5) { try await $0.playSlots() },
            Chapter(title: "Forgetting", speed: 5) { try await $0.playForgetting() },
        ]

        static var titles: [String] { chapters.map(\.title) }

        /// Runs all chapters. Throws `ProgramFailure` at the first check that fails.
        func run() async throws {
            do {
                try await environment.world.run(for: Self.bound) {
                    let result = await perform()
                    await environment.endApplication()
                    try result.get()
                }
            } catch let failure as ExpectationFailure {
                throw ProgramFailure(
                    .internalError,
                    "the demo failed: \(TerminalText.escape(failure.problem))",
                    advice: "please report this"
                )
            }
        }

        private func perform() async -> Result<Void, any Error> {
            do {
                return .success(try await performChapters())
            } catch {
                return .failure(error)
            }
        }

        private func performChapters() async throws {
            try await withThrowingTaskGroup { group in
                group.addTask { try await pace.run(in: environment.world, draw) }
                defer { group.cancelAll() }
                for index in Self.chapters.indices { try await play(index) }
                group.cancelAll()
                // The task of `pace` may end with a cancellation error, which is ignored.
                while await group.nextResult() != nil {}
            }
        }

        private func play(_ index: Int) async throws {
            let chapter = Self.chapters[index]
            environment.mark(chapter: chapter.title)
            try printer.begin(index)
            try draw()
            pace.rest(Self.readingPause)
            pace.set(speed: chapter.speed)
            try await chapter.play(self)
            try draw()
        }

        func draw() throws {
            try printer.draw(environment.update)
        }
    }
#endif

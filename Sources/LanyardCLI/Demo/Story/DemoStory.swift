// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import Lanyard
    import LanyardTesting

    /// The story of four accessories and a phone, chapter by chapter. What it says it has checked.
    struct DemoStory: Sendable {
        let teller: StoryTeller
        let stage: DemoStage
        let pace: DemoPace

        /// How much virtual time all of it may take.
        private static let bound = Duration.seconds(600)
        /// How long the title of a chapter stands before anything happens.
        private static let readingPause = Duration.milliseconds(450)

        private struct Chapter {
            let title: String
            /// How many virtual seconds pass in a real one.
            let speed: Double
            let tell: @Sendable (DemoStory) async throws -> Void
        }

        private static let chapters = [
            Chapter(title: "Pairing", speed: 1.6) { try await $0.tellOfPairing() },
            Chapter(title: "Messages", speed: 1.6) { try await $0.tellOfMessages() },
            Chapter(title: "Away and back", speed: 20) { try await $0.tellOfAWalk() },
            Chapter(title: "Restart", speed: 2.5) { try await $0.tellOfARestart() },
            Chapter(title: "Keys lost", speed: 3.5) { try await $0.tellOfLostKeys() },
            Chapter(title: "Slots", speed: 3.5) { try await $0.tellOfSlots() },
            Chapter(title: "Forgetting", speed: 5) { try await $0.tellOfForgetting() },
        ]

        static var titles: [String] { chapters.map(\.title) }

        /// Tells all of it. Throws `ProgramFailure` at the first thing that is not as it should be.
        func tell() async throws {
            do {
                try await stage.world.run(for: Self.bound) {
                    let told = await perform()
                    await stage.endApplication()
                    try told.get()
                }
            } catch let failure as ExpectationFailure {
                throw ProgramFailure(
                    .internalError,
                    "the demonstration failed: \(TerminalText.escape(failure.problem))",
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
                group.addTask { try await pace.run(in: stage.world, draw) }
                defer { group.cancelAll() }
                for index in Self.chapters.indices { try await tell(index) }
                group.cancelAll()
                // The pace is cancelled in a pause.
                while await group.nextResult() != nil {}
            }
        }

        private func tell(_ index: Int) async throws {
            let chapter = Self.chapters[index]
            stage.mark(chapter: chapter.title)
            try teller.begin(index)
            try draw()
            pace.rest(Self.readingPause)
            pace.set(speed: chapter.speed)
            try await chapter.tell(self)
            try draw()
        }

        func draw() throws {
            try teller.draw(stage.update)
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the demonstration prints, and what the accessory has told so far.
final class DemoReport: Sendable {
    private struct State {
        var checks = 0
        var news: [ServeNews] = []
    }

    private let console: Console
    private let state = Mutex(State())

    init(console: Console) {
        self.console = console
    }

    /// How many things have been found to be as they should.
    var checks: Int { state.withLock { $0.checks } }

    /// What the accessory has told.
    var news: [ServeNews] { state.withLock { $0.news } }

    /// Begins a step.
    func heading(_ text: String) throws {
        let line = "── \(text)"
        try console.print("\n" + (console.isOutputTerminal ? "\u{1B}[1m\(line)\u{1B}[0m" : line))
    }

    /// What the Central, or the person who watches, sees.
    func say(_ text: String) throws {
        try console.print(text)
    }

    /// What the accessory tells.
    func tell(_ news: ServeNews) throws {
        state.withLock { $0.news.append(news) }
        let line = "   accessory │ \(news.line)"
        try console.print(console.isOutputTerminal ? "\u{1B}[2m\(line)\u{1B}[0m" : line)
    }

    /// Finds out whether something is as it should be; throws if not.
    func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        guard holds else {
            throw ProgramFailure(
                .internalError,
                "the demonstration failed: \(otherwise())",
                advice: "please report this"
            )
        }
        state.withLock { $0.checks += 1 }
    }
}

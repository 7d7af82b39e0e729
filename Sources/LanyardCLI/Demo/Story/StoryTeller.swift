// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells the story: on a terminal in lines that stay, with the scene below them, which is drawn again
/// and again; elsewhere in lines only, without anything that a terminal would act upon.
///
/// Every claim is checked as it is told.
final class StoryTeller: Sendable {
    private struct State {
        var area = LiveArea()
        var scene: StoryScene
        var checks = 0
    }

    private let console: Console
    private let state: Mutex<State>

    /// Whether somebody watches.
    var isLive: Bool { console.isOutputTerminal }
    /// How many things have been found to be as they should.
    var checks: Int { state.withLock { $0.checks } }
    /// What is drawn.
    var scene: StoryScene { state.withLock { $0.scene } }

    init(console: Console, chapters: [String]) {
        self.console = console
        state = Mutex(State(scene: StoryScene(chapters: chapters)))
    }

    /// Begins a chapter. Returns its title.
    @discardableResult
    func begin(_ chapter: Int) throws -> String {
        let title = state.withLock { state in
            state.scene.chapter = chapter
            return state.scene.chapters[chapter]
        }
        let heading = "── \(chapter + 1) \(title)"
        try write(["", isLive ? "\u{1B}[1m\(heading)\u{1B}[0m" : heading])
        return title
    }

    /// Says what happens.
    func say(_ text: String) throws {
        let plain = "   " + TerminalText.escape(text)
        try write([isLive ? TerminalColumns.truncate(plain, to: columns) : plain])
    }

    /// Says what happens, and finds out whether it is so; throws if it is not.
    func say(_ text: String, _ holds: () -> Bool) throws {
        try check(holds(), "it is not so that \(text)")
        try say(text)
    }

    /// Finds out whether something is as it should be; throws if not.
    func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        guard holds else {
            throw ProgramFailure(
                .internalError,
                "the demonstration failed: \(TerminalText.escape(otherwise()))",
                advice: "please report this"
            )
        }
        state.withLock { $0.checks += 1 }
    }

    /// Shows the scene as it is now, where somebody watches.
    func draw(_ change: (inout StoryScene) -> Void) throws {
        try state.withLock { state in
            change(&state.scene)
            guard isLive else { return }
            try console.write(state.area.draw(rendered(state.scene)))
        }
    }

    /// Nothing more will be told: what was drawn is taken away.
    func end() throws {
        try state.withLock { state in
            guard isLive else { return }
            try console.write(state.area.draw([]) + state.area.end())
        }
    }

    private var columns: Int { max(20, console.size().columns - 1) }

    /// Prints lines that stay.
    private func write(_ lines: [String]) throws {
        try state.withLock { state in
            guard isLive else { return try console.print(lines.joined(separator: "\n")) }
            try console.write(state.area.print(lines) + state.area.draw(rendered(state.scene)))
        }
    }

    private func rendered(_ scene: StoryScene) -> [String] {
        let rows = max(1, console.size().rows - 2)
        return scene.lines.prefix(rows).map { $0.rendered(columns: columns) }
    }
}

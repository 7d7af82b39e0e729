// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The output of the demo. On a terminal it prints lines that stay and redraws the scene below
/// them. Elsewhere it prints plain lines without control characters.
final class DemoPrinter: Sendable {
    private struct State {
        var area = LiveArea()
        var scene: DemoScene
        var checks = 0
    }

    private let console: Console
    private let state: Mutex<State>

    /// Whether the output is a terminal.
    var isLive: Bool { console.isOutputTerminal }
    /// The number of checks that passed.
    var checks: Int { state.withLock { $0.checks } }

    init(console: Console, chapters: [String]) {
        self.console = console
        state = Mutex(State(scene: DemoScene(chapters: chapters)))
    }

    /// Begins a chapter and returns its title.
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

    /// Prints a line.
    func say(_ text: String) throws {
        let plain = "   " + TerminalText.escape(text)
        try write([isLive ? TerminalColumns.truncate(plain, to: columns) : plain])
    }

    /// Checks the condition of a line, and prints the line. Throws if the condition does not hold.
    func say(_ text: String, _ holds: () -> Bool) throws {
        try check(holds(), "this is not the case: \(text)")
        try say(text)
    }

    /// Checks a condition. Throws `ProgramFailure` if the condition does not hold.
    func check(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
        guard holds else {
            throw ProgramFailure(
                .internalError,
                "the demo failed: \(TerminalText.escape(otherwise()))",
                advice: "please report this"
            )
        }
        state.withLock { $0.checks += 1 }
    }

    /// Updates the scene, and draws it on a terminal.
    func draw(_ change: (inout DemoScene) -> Void) throws {
        try state.withLock { state in
            change(&state.scene)
            guard isLive else { return }
            try console.write(state.area.draw(rendered(state.scene)))
        }
    }

    /// Ends the output and removes the scene.
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

    private func rendered(_ scene: DemoScene) -> [String] {
        let rows = max(1, console.size().rows - 2)
        return scene.lines.prefix(rows).map { $0.rendered(columns: columns) }
    }
}

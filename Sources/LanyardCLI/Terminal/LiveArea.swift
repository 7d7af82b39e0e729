// SPDX-License-Identifier: Apache-2.0

/// Lines at the bottom of a terminal that are redrawn in place.
struct LiveArea: Sendable {
    /// The text that returns to the first column and erases the line.
    static let eraseLine = "\r\u{1B}[2K"
    private static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    private static let eraseBelow = "\u{1B}[J"

    private var drawnLines = 0

    /// Returns the text that replaces the lines drawn before with `lines`. Every line must fit into
    /// the terminal's width, and there must be fewer lines than the terminal has rows.
    mutating func draw(_ lines: [String]) -> String {
        var text = drawnLines == 0 ? Self.hideCursor : "\u{1B}[\(drawnLines)A"
        for line in lines { text += Self.eraseLine + line + "\n" }
        text += Self.eraseBelow
        drawnLines = lines.count
        return text
    }

    /// Returns the text that prints `lines` in place of the area, where they stay. The next
    /// `draw` draws the area again below these lines.
    mutating func print(_ lines: [String]) -> String {
        let text = draw(lines)
        drawnLines = 0
        return text
    }

    /// Returns the text that ends the drawing. The drawn lines stay.
    mutating func end() -> String {
        drawnLines = 0
        return Self.showCursor
    }
}

/// One line on standard error about the current step of a long command. It exists only on a
/// terminal that interprets control sequences.
struct ProgressLine: Sendable {
    let console: Console

    /// Shows the step.
    func show(_ text: String) {
        guard console.isRemarkTerminal, console.hasControls else { return }
        let columns = max(1, console.size().columns - 1)
        console.remark(LiveArea.eraseLine + TerminalColumns.truncate(text, to: columns))
    }

    /// Removes the line.
    func clear() {
        guard console.isRemarkTerminal, console.hasControls else { return }
        console.remark(LiveArea.eraseLine)
    }
}

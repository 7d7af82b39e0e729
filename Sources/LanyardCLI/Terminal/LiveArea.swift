// SPDX-License-Identifier: Apache-2.0

/// Lines at the bottom of a terminal that are redrawn in place.
struct LiveArea: Sendable {
    /// Returns to the first column and empties the line.
    static let eraseLine = "\r\u{1B}[2K"
    private static let hideCursor = "\u{1B}[?25l"
    static let showCursor = "\u{1B}[?25h"
    private static let eraseBelow = "\u{1B}[J"

    private var drawnLines = 0

    /// What to print so that `lines` take the place of those drawn before. Every line must fit into
    /// the terminal's width, and all of them into its height less one.
    mutating func draw(_ lines: [String]) -> String {
        var text = drawnLines == 0 ? Self.hideCursor : "\u{1B}[\(drawnLines)A"
        for line in lines { text += Self.eraseLine + line + "\n" }
        text += Self.eraseBelow
        drawnLines = lines.count
        return text
    }

    /// What to print so that `lines` stand where the area was, and stay. What was drawn is gone until it
    /// is drawn again, below them.
    mutating func print(_ lines: [String]) -> String {
        let text = draw(lines)
        drawnLines = 0
        return text
    }

    /// What to print when nothing will be drawn any more. What was drawn stays.
    mutating func end() -> String {
        drawnLines = 0
        return Self.showCursor
    }
}

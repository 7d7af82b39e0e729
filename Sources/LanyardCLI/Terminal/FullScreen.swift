// SPDX-License-Identifier: Apache-2.0

/// The lines of a display that takes the whole terminal. The earlier output returns when the
/// display ends.
struct FullScreen: Sendable {
    static let begin = "\u{1B}[?1049h\u{1B}[?25l"
    static let end = "\u{1B}[?1049l\u{1B}[?25h"
    private static let home = "\u{1B}[H"
    private static let eraseRest = "\u{1B}[K"
    private static let eraseBelow = "\u{1B}[J"

    /// Whether the display is on the terminal.
    private(set) var isShown = false

    /// Returns the text that replaces the display with `lines`. No line may be wider than the
    /// terminal, and there may be at most as many as the terminal has rows.
    mutating func draw(_ lines: [String]) -> String {
        defer { isShown = true }
        return (isShown ? "" : Self.begin) + Self.home
            + lines.map { $0 + Self.eraseRest }.joined(separator: "\r\n") + Self.eraseBelow
    }

    /// Returns the text that returns to the earlier output; empty if nothing was drawn.
    mutating func end() -> String {
        defer { isShown = false }
        return isShown ? Self.end : ""
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A display of a prompt and an edited line in one row of a terminal. A long line is shown in part.
struct LineDisplay: Sendable {
    /// The width of the terminal.
    let columns: Int

    /// Returns the text that replaces the row and puts the cursor at its place.
    func draw(prompt: String, before: String, after: String) -> String {
        // A prompt leaves room for the line. The last column stays empty, because a character in it
        // moves some terminals to the next row.
        let promptColumns = max(1, columns / 2, columns - Self.lineColumns)
        let prompt = TerminalColumns.truncate(prompt, to: promptColumns)
        let room = max(1, columns - TerminalColumns.count(prompt) - 1)
        let shown = Self.suffix(of: before, columns: room)
        let rest = Self.prefix(of: after, columns: room - TerminalColumns.count(shown))
        let back = TerminalColumns.count(rest)
        let cursor = back == 0 ? "" : "\u{1B}[\(back)D"
        return LiveArea.eraseLine + prompt + shown + rest + cursor
    }

    /// The columns that a prompt leaves for the line on a wide terminal.
    private static let lineColumns = 24

    /// Returns the end of a text in at most so many columns, with an ellipsis for what is cut off.
    private static func suffix(of text: String, columns: Int) -> String {
        guard TerminalColumns.count(text) > columns else { return text }
        var shown = Substring()
        for index in text.indices.reversed() {
            let longer = text[index...]
            guard TerminalColumns.count(String(longer)) < columns else { break }
            shown = longer
        }
        return "…" + shown
    }

    private static func prefix(of text: String, columns: Int) -> String {
        columns > 0 ? TerminalColumns.truncate(text, to: columns) : ""
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A prompt in several forms, the longest first, for terminals of different widths.
struct LinePrompt: Equatable, Sendable, ExpressibleByStringLiteral {
    let forms: [String]
    /// Whether the prompt asks a question, whose answer is short.
    var isQuestion = false

    init(forms: [String]) {
        self.forms = forms
    }

    init(question: String) {
        forms = [question]
        isQuestion = true
    }

    init(stringLiteral text: String) {
        forms = [text]
    }
}

/// A display of a prompt and an edited line in one row of a terminal. A long line is shown in part.
struct LineDisplay: Sendable {
    /// The width of the terminal.
    let columns: Int

    /// Returns the text that replaces the row and puts the cursor at its place.
    ///
    /// The prompt has the first form that leaves room for the line. If none does, the end of the
    /// last form is shown, because the digits of a question are at its end. The last column stays
    /// empty, because a character in it moves the cursor of some terminals to the next row.
    func draw(prompt: LinePrompt, before: String, after: String) -> String {
        let promptColumns =
            prompt.isQuestion
            ? max(1, columns - Self.answerColumns)
            : max(1, columns / 2, columns - Self.lineColumns)
        let prompt =
            prompt.forms.first { TerminalColumns.count($0) <= promptColumns }
            ?? Self.suffix(of: prompt.forms.last ?? "", columns: promptColumns)
        let width = max(1, columns - TerminalColumns.count(prompt) - 1)
        let shown = Self.suffix(of: before, columns: width)
        let rest = Self.prefix(of: after, columns: width - TerminalColumns.count(shown))
        let back = TerminalColumns.count(rest)
        let cursor = back == 0 ? "" : "\u{1B}[\(back)D"
        return LiveArea.eraseLine + prompt + shown + rest + cursor
    }

    /// The columns that a prompt leaves for the line on a wide terminal.
    private static let lineColumns = 24
    /// The columns that a question leaves for its answer: six digits, and some more.
    private static let answerColumns = 10

    /// Returns the end of a text in at most this many columns, with an ellipsis for the part that
    /// is cut off.
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

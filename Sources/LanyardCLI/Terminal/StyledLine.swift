// SPDX-License-Identifier: Apache-2.0

/// A line for a terminal, in parts that look different, and of a known width.
struct StyledLine: Equatable, Sendable {
    /// How a part looks.
    enum Style: String, Equatable, Sendable {
        case plain = ""
        case bold = "1"
        case faint = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case magenta = "35"
        case cyan = "36"
        case inverse = "7"
    }

    private struct Part: Equatable {
        let text: String
        let style: Style
    }

    private var parts: [Part] = []

    /// Appends a text, which holds no control characters.
    mutating func add(_ text: String, _ style: Style = .plain) {
        parts.append(Part(text: text, style: style))
    }

    /// Appends a text in so many columns: filled up, or cut.
    mutating func add(_ text: String, _ style: Style = .plain, columns: Int) {
        add(TerminalColumns.fit(text, to: columns), style)
    }

    /// How many columns it takes.
    var columns: Int { parts.reduce(0) { $0 + TerminalColumns.count($1.text) } }

    /// The line as a terminal shows it, in at most so many columns.
    func rendered(columns: Int) -> String {
        var room = columns
        var result = ""
        for part in parts where room > 0 {
            let text = TerminalColumns.truncate(part.text, to: room)
            room -= TerminalColumns.count(text)
            result += part.style == .plain ? text : "\u{1B}[\(part.style.rawValue)m\(text)\u{1B}[0m"
        }
        return result
    }

    /// The text alone.
    var plain: String { parts.map(\.text).joined() }
}

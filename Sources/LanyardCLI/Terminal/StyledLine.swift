// SPDX-License-Identifier: Apache-2.0

/// A line for a terminal, in parts of different styles, with a known width.
struct StyledLine: Equatable, Sendable {
    /// The style of a part.
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

    /// Appends a text without control characters.
    mutating func add(_ text: String, _ style: Style = .plain) {
        parts.append(Part(text: text, style: style))
    }

    /// Appends a text in exactly this many columns: padded or cut.
    mutating func add(_ text: String, _ style: Style = .plain, columns: Int) {
        add(TerminalColumns.fit(text, to: columns), style)
    }

    /// Returns the line with the terminal's control sequences, in at most this many columns.
    func rendered(columns: Int) -> String {
        var freeColumns = columns
        var result = ""
        for part in parts where freeColumns > 0 {
            let text = TerminalColumns.truncate(part.text, to: freeColumns)
            freeColumns -= TerminalColumns.count(text)
            result += part.style == .plain ? text : "\u{1B}[\(part.style.rawValue)m\(text)\u{1B}[0m"
        }
        return result
    }

    /// The text without styles.
    var plain: String { parts.map(\.text).joined() }
}

/// The width of a text in terminal columns, and texts of a given width.
///
/// The widths are those of most terminals: East Asian wide characters and emoji take two columns
/// (Unicode Standard Annex 11), and combining marks take none.
enum TerminalColumns {
    /// Returns the columns that `text` takes. The text must not contain control characters.
    static func count(_ text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns `text` in exactly `columns`: padded with spaces, or cut with an ellipsis at its end.
    static func fit(_ text: String, to columns: Int) -> String {
        let cut = truncate(text, to: columns)
        return cut + String(repeating: " ", count: max(0, columns - count(cut)))
    }

    /// Returns `text` in at most `columns`, cut with an ellipsis if it is longer.
    static func truncate(_ text: String, to columns: Int) -> String {
        guard columns > 0 else { return "" }
        guard count(text) > columns else { return text }
        var result = ""
        var freeColumns = columns - 1
        for character in text {
            freeColumns -= self.columns(of: character)
            guard freeColumns >= 0 else { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func columns(of character: Character) -> Int {
        character.unicodeScalars.map(columns(of:)).max() ?? 0
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The blocks of wide characters: Hangul Jamo, CJK and related blocks, Hangul syllables,
    /// compatibility and full-width forms, and the supplementary ideographs.
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
}

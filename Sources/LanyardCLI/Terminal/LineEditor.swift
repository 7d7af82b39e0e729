// SPDX-License-Identifier: Apache-2.0

/// A line that a person edits, with the lines that were typed before.
///
/// The editor does no I/O. `LineTerminal` gives it keys and draws it.
struct LineEditor: Sendable {
    /// The action of the terminal after a key.
    enum Effect: Equatable, Sendable {
        case none, redraw
        /// The line is complete.
        case submit(String)
        /// The person asks for completion.
        case complete
        case interrupt, endOfInput, suspend, clearScreen
    }

    /// The maximum length of a line in bytes of UTF-8. Further characters are dropped.
    static let lengthLimit = ShellWords.lengthLimit

    /// The text before and after the cursor.
    private(set) var before = ""
    private(set) var after = ""
    private(set) var history = LineHistory()
    /// The place in the history; `nil` for the new line.
    private var place: Int?
    /// The new line while an earlier one is shown.
    private var draft = ""
    /// The text that Ctrl-Y inserts.
    private var killed = ""
    /// Whether the arrow keys show earlier lines, and Tab completes.
    var isCommandLine = true

    init(history: LineHistory = LineHistory()) {
        self.history = history
    }

    /// The whole text.
    var text: String { before + after }

    /// Discards the text.
    mutating func clear() { show("") }

    /// Replaces the text before the cursor, as a completion does.
    mutating func replaceBefore(with text: String) {
        guard text.utf8.count + after.utf8.count <= Self.lengthLimit else { return }
        before = text
    }

    /// Receives a key.
    mutating func receive(_ key: TerminalKey) -> Effect {
        switch key {
        case .character(let scalar): return insert(scalar)
        case .enter: return submit()
        case .tab: return isCommandLine ? .complete : .none
        case .interrupt: return .interrupt
        case .suspend: return .suspend
        case .clearScreen: return .clearScreen
        case .endOfInput where text.isEmpty: return .endOfInput
        case .up: showEarlier()
        case .down: showLater()
        default: edit(key)
        }
        return .redraw
    }

    private mutating func insert(_ scalar: Unicode.Scalar) -> Effect {
        guard scalar.isPrintable, text.utf8.count + 4 <= Self.lengthLimit else { return .none }
        before.unicodeScalars.append(scalar)
        return .redraw
    }

    private mutating func submit() -> Effect {
        let line = text
        if isCommandLine { history.add(line) }
        show("")
        return .submit(line)
    }

    private mutating func edit(_ key: TerminalKey) {
        switch key {
        case .backspace: _ = before.popLast()
        case .delete, .endOfInput: if !after.isEmpty { after.removeFirst() }
        case .left: if let last = before.popLast() { after.insert(last, at: after.startIndex) }
        case .right: if !after.isEmpty { before.append(after.removeFirst()) }
        case .home: (before, after) = ("", text)
        case .end: (before, after) = (text, "")
        case .wordLeft: move(wordBefore.count)
        case .wordRight:
            let count = wordAfter.count
            before += after.prefix(count)
            after.removeFirst(count)
        case .killToEnd: (killed, after) = (after, "")
        case .killToStart: (killed, before) = (before, "")
        case .killWord:
            killed = String(wordBefore)
            before.removeLast(killed.count)
        case .yank:
            if text.utf8.count + killed.utf8.count <= Self.lengthLimit { before += killed }
        default: break
        }
    }

    /// Moves the cursor to the left.
    private mutating func move(_ count: Int) {
        after = before.suffix(count) + after
        before.removeLast(count)
    }

    /// The last word before the cursor, with the spaces after it.
    private var wordBefore: Substring {
        let spaces = before.reversed().prefix(while: \.isWhitespace).count
        let letters = before.dropLast(spaces).reversed().prefix { !$0.isWhitespace }.count
        return before.suffix(spaces + letters)
    }

    /// The first word after the cursor, with the spaces before it.
    private var wordAfter: Substring {
        let spaces = after.prefix(while: \.isWhitespace).count
        let letters = after.dropFirst(spaces).prefix { !$0.isWhitespace }.count
        return after.prefix(spaces + letters)
    }
}

// MARK: - History

extension LineEditor {
    private mutating func showEarlier() {
        guard isCommandLine else { return }
        let next = (place ?? history.lines.count) - 1
        guard history.lines.indices.contains(next) else { return }
        if place == nil { draft = text }
        show(history.lines[next])
        place = next
    }

    private mutating func showLater() {
        guard let place else { return }
        let isLast = place + 1 >= history.lines.count
        show(isLast ? draft : history.lines[place + 1])
        self.place = isLast ? nil : place + 1
    }

    private mutating func show(_ line: String) {
        (before, after, place) = (line, "", nil)
    }
}

/// The lines that a person typed, oldest first.
struct LineHistory: Equatable, Sendable {
    /// The maximum number of lines. The oldest are dropped.
    static let lineLimit = 1_000

    private(set) var lines: [String] = []

    init() {}

    /// Parses a file with one line for each entry. Lines that the editor cannot hold, and lines
    /// with invisible characters, are left out.
    init(parsing text: String) {
        let parts = text.split(separator: "\n").suffix(Self.lineLimit)
        for part in parts
        where part.utf8.count <= LineEditor.lengthLimit
            && part.unicodeScalars.allSatisfy(\.isPrintable)
        {
            add(String(part))
        }
    }

    /// The contents of the file.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Adds a line without the spaces at its end. Empty lines, lines that begin with a space, and
    /// repetitions of the last line are left out.
    mutating func add(_ text: String) {
        let line = String(text.prefix(text.count - text.reversed().prefix { $0 == " " }.count))
        guard !line.isEmpty, line.first != " ", line != lines.last else { return }
        lines.append(line)
        if lines.count > Self.lineLimit { lines.removeFirst(lines.count - Self.lineLimit) }
    }
}

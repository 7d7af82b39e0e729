// SPDX-License-Identifier: Apache-2.0

/// The words of a line of the shell or of a script.
///
/// Spaces separate words. Text between single quotes is taken as it is. Between double quotes,
/// variables and the escapes `\"`, `\\` and `\$` have their meaning. Outside of quotes, the
/// character after a backslash is taken as it is. A word that begins with `{` or `[` is JSON and
/// ends with the matching bracket. `$NAME` and `${NAME}` stand for a variable, whose value is never
/// split into words, and `$$` for a dollar sign. A word that is only `#`, and a first word that
/// begins with `#`, begins a comment.
struct ShellWords: Equatable, Sendable {
    /// The maximum length of a line in bytes of UTF-8. It is less than `InputLines.lengthLimit`, so
    /// that the beginning of a longer line is refused.
    static let lengthLimit = 4_096
    /// The maximum number of words of a line: more than a value of the longest length needs.
    static let wordLimit = 1_024

    /// A part of a word.
    enum Part: Equatable, Sendable {
        case text(String)
        case variable(String)
    }

    /// A word before its variables are replaced.
    struct Word: Equatable, Sendable {
        var parts: [Part] = []

        fileprivate mutating func append(_ character: Character) {
            if case .text(let text)? = parts.last {
                parts[parts.count - 1] = .text(text + String(character))
            } else {
                parts.append(.text(String(character)))
            }
        }

        fileprivate mutating func append(_ part: Part) { parts.append(part) }
    }

    let words: [Word]

    /// Splits a line. Throws if the line does not have this form or is too long.
    init(_ line: String) throws(ProgramFailure) {
        guard line.utf8.count <= Self.lengthLimit else {
            throw .usage(
                "the line has more than \(Self.lengthLimit) bytes",
                advice: "write a shorter line"
            )
        }
        var reader = WordReader(line)
        var words: [Word] = []
        while let word = try reader.next() {
            words.append(word)
            guard words.count <= Self.wordLimit else {
                throw .usage(
                    "the line has more than \(Self.wordLimit) words",
                    advice: "write a value as one word"
                )
            }
        }
        self.words = words
    }

    /// The names of the variables in the line.
    var variables: [String] {
        words.flatMap(\.parts).compactMap { part in
            if case .variable(let name) = part { name } else { nil }
        }
    }

    /// Returns the words with the values of their variables. Throws if a variable has no value.
    func expanded(_ values: [String: String]) throws(ProgramFailure) -> [String] {
        var result: [String] = []
        for word in words {
            var text = ""
            for part in word.parts {
                switch part {
                case .text(let plain): text += plain
                case .variable(let name):
                    guard let value = values[name] else { throw .noVariable(name, among: values) }
                    text += value
                }
            }
            result.append(text)
        }
        return result
    }

    /// The maximum length of the name of a variable in characters.
    static let nameLimit = 64

    /// Returns whether the text can be the name of a variable: at most `nameLimit` ASCII letters,
    /// digits and underscores, no digit first.
    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.first, isNameStart(first), text.count <= nameLimit else {
            return false
        }
        return text.allSatisfy(isNamePart)
    }

    fileprivate static func isNameStart(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character == "_")
    }

    fileprivate static func isNamePart(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }
}

extension ProgramFailure {
    /// Returns the failure for a variable that was not set.
    static func noVariable(_ name: String, among values: [String: String]) -> ProgramFailure {
        .usage(
            "the variable $\(TerminalText.escape(name)) is not set",
            advice: didYouMean(name, among: values.keys.sorted(), otherwise: "use set NAME VALUE")
        )
    }
}

/// A reader of the words of a line, in order.
private struct WordReader {
    private var rest: Substring
    private var isFirst = true

    init(_ line: String) {
        rest = line[...]
    }

    /// Returns the next word; `nil` at the end of the line or at a comment.
    mutating func next() throws(ProgramFailure) -> ShellWords.Word? {
        rest = rest.drop(while: \.isWhitespace)
        guard let first = rest.first, !isComment else { return nil }
        isFirst = false
        if first == "{" || first == "[" { return try readJSON() }
        var word = ShellWords.Word()
        while let character = rest.first, !character.isWhitespace {
            rest.removeFirst()
            switch character {
            case "'": try readLiteral(into: &word)
            case "\"": try readQuotation(into: &word)
            case "\\":
                guard let kept = rest.popFirst() else {
                    throw .usage("nothing follows the last backslash", advice: "write \\\\ for one")
                }
                word.append(kept)
            case "$": try readVariable(into: &word)
            default: word.append(character)
            }
        }
        return word
    }

    /// Whether the rest of the line is a comment. `#12` is the handle of a value, so after a word,
    /// only a `#` that stands alone begins a comment.
    private var isComment: Bool {
        guard rest.first == "#" else { return false }
        return isFirst || rest.dropFirst().first.map(\.isWhitespace) ?? true
    }

    private mutating func readLiteral(into word: inout ShellWords.Word) throws(ProgramFailure) {
        word.append(.text(""))
        while let character = rest.popFirst() {
            guard character != "'" else { return }
            word.append(character)
        }
        throw .noEnd(of: "'")
    }

    private mutating func readQuotation(into word: inout ShellWords.Word) throws(ProgramFailure) {
        word.append(.text(""))
        while let character = rest.popFirst() {
            switch character {
            case "\"": return
            case "$": try readVariable(into: &word)
            case "\\":
                guard let next = rest.first, "\"\\$".contains(next) else {
                    word.append(character)
                    continue
                }
                rest.removeFirst()
                word.append(next)
            default: word.append(character)
            }
        }
        throw .noEnd(of: "\"")
    }

    /// Reads the variable after a dollar sign. A dollar sign before anything but a name or a brace
    /// stands for itself.
    private mutating func readVariable(into word: inout ShellWords.Word) throws(ProgramFailure) {
        if rest.first == "$" {
            rest.removeFirst()
            return word.append("$")
        }
        let isBraced = rest.first == "{"
        let start = isBraced ? rest.dropFirst() : rest
        let name =
            isBraced ? start.prefix { $0 != "}" } : start.prefix(while: ShellWords.isNamePart)
        guard ShellWords.isName(name) else {
            guard isBraced || name.count > ShellWords.nameLimit else { return word.append("$") }
            let shown = TerminalText.escape(String(name.prefix(ShellWords.nameLimit)))
            throw .usage(
                "'\(shown)' is not the name of a variable",
                advice: "use letters, digits and _, at most \(ShellWords.nameLimit)"
            )
        }
        rest = start.dropFirst(name.count)
        if isBraced {
            guard rest.popFirst() == "}" else { throw .noEnd(of: "${") }
        }
        word.append(.variable(String(name)))
    }

    /// Reads JSON up to the bracket that closes its first bracket. The parser of the value checks
    /// the text between them.
    private mutating func readJSON() throws(ProgramFailure) -> ShellWords.Word {
        var word = ShellWords.Word()
        var depth = 0
        var isString = false
        while let character = rest.popFirst() {
            switch character {
            case "$":
                try readVariable(into: &word)
                continue
            case "\\" where isString:
                word.append(character)
                if let next = rest.popFirst() { word.append(next) }
                continue
            case "\"": isString.toggle()
            case "{" where !isString, "[" where !isString: depth += 1
            case "}" where !isString, "]" where !isString: depth -= 1
            default: break
            }
            word.append(character)
            if depth == 0 { return word }
        }
        throw .noEnd(of: isString ? "\"" : "{")
    }
}

extension ProgramFailure {
    fileprivate static func noEnd(of opening: String) -> ProgramFailure {
        .usage("the \(opening) has no end", advice: "close it in the same line")
    }
}

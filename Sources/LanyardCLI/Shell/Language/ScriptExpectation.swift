// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a command, as far as expectations and variables need it.
struct ScriptSubject: Equatable, Sendable {
    /// The printed text.
    var text: String
    /// The value of a characteristic; `nil` for other results.
    var bytes: [UInt8]?
    /// The meaning of the value; `nil` if it is not known.
    var meaning: String?
}

/// A condition of a script on the last result.
struct ScriptExpectation: Equatable, Sendable {
    /// The condition without its negation.
    enum Condition: Equatable, Sendable {
        /// The value has these bytes. A result that is not a value has this text.
        case equals(String)
        /// The printed text contains this text.
        case contains(String)
        /// A part of the printed text matches this regular expression.
        case matches(String)
        /// The number in the result is in the range. With a format, the bytes of the value are
        /// decoded as a number.
        case between(ClosedRange<Double>, NumberFormat?)
    }

    /// The expectation and the result in words, safe to print.
    struct Comparison: Equatable, Sendable {
        let isMet: Bool
        let expected: String
        let actual: String

        /// The failure of the script.
        var failure: ProgramFailure {
            ProgramFailure(.unmet, "expected \(expected), but the result is \(actual)")
        }
    }

    let condition: Condition
    let isNegated: Bool

    /// The maximum length of a regular expression in characters.
    static let patternLimit = 256
    /// The maximum length in characters of a text that is searched for a pattern or a number.
    static let textLimit = 8_192
    /// The forms, for messages.
    static let forms = "equals VALUE, contains TEXT, matches PATTERN, or between LOW HIGH"
    /// The words that begin a condition.
    static let keywords = ["equals", "contains", "matches", "between", "not"]

    /// Returns whether the words begin a condition.
    static func begins(with words: ArraySlice<String>) -> Bool {
        guard let first = words.first else { return false }
        if keywords.contains(first) { return true }
        return NumberFormat(rawValue: first) != nil && words.dropFirst().first == "between"
    }

    /// Parses the words of a condition.
    init(_ words: ArraySlice<String>) throws(ProgramFailure) {
        var words = words
        isNegated = words.first == "not"
        if isNegated { words.removeFirst() }
        let format = words.first.flatMap { NumberFormat(rawValue: $0) }
        if format != nil { words.removeFirst() }
        guard let keyword = words.popFirst(), Self.keywords.contains(keyword),
            format == nil || keyword == "between"
        else {
            throw .usage("an expectation is missing", advice: "use \(Self.forms)")
        }
        switch keyword {
        case "between": condition = .between(try Self.range(words), format)
        case "equals" where !words.isEmpty: condition = .equals(words.joined(separator: " "))
        case "contains" where words.count == 1: condition = .contains(words[words.startIndex])
        case "matches" where words.count == 1:
            condition = .matches(try Self.pattern(words[words.startIndex]))
        default:
            throw .usage(
                "'\(keyword)' needs one text",
                advice: "write a text with spaces in quotes; use \(Self.forms)"
            )
        }
    }

    private static func range(_ words: ArraySlice<String>) throws(ProgramFailure)
        -> ClosedRange<Double>
    {
        let bounds = words.filter { $0 != "and" }.map { Double($0) }
        guard bounds.count == 2, let low = bounds[0], let high = bounds[1], low.isFinite,
            high.isFinite, low <= high
        else {
            throw .usage(
                "'between' needs two numbers, the lower one first",
                advice: "write between 20 30, or uint16 between 20 30"
            )
        }
        return low...high
    }

    private static func pattern(_ text: String) throws(ProgramFailure) -> String {
        guard text.count <= patternLimit, (try? Regex(text)) != nil else {
            let shown = TerminalText.escape(String(text.prefix(60)))
            throw .usage(
                "'\(shown)' is not a valid pattern",
                advice: "use a regular expression of at most \(patternLimit) characters"
            )
        }
        return text
    }
}

// MARK: - Checking

extension ScriptExpectation {
    /// Compares a result with the expectation. Throws if they are not comparable.
    ///
    /// A regular expression can take very long, so the caller limits the time.
    func comparison(with subject: ScriptSubject) throws(ProgramFailure) -> Comparison {
        let (isMet, actual) = try compare(subject)
        return Comparison(isMet: isMet != isNegated, expected: description, actual: actual)
    }

    private func compare(
        _ subject: ScriptSubject
    ) throws(ProgramFailure) -> (isMet: Bool, actual: String) {
        let text = subject.shown
        switch condition {
        case .equals(let wanted):
            guard let bytes = subject.bytes else {
                return (subject.text == wanted, "\"\(text)\"")
            }
            return (try ValueArgument(wanted).bytes == bytes, "\(ValueText.plain(bytes))")
        case .contains(let wanted):
            return (subject.text.contains(wanted), "\"\(text)\"")
        case .matches(let pattern):
            let searched = String(subject.text.prefix(Self.textLimit))
            // The pattern was compiled before.
            let regex = try? Regex(pattern)
            return (regex.map { searched.contains($0) } ?? false, "\"\(text)\"")
        case .between(let range, let format):
            let number = try subject.number(as: format)
            return (range.contains(number), Self.text(of: number))
        }
    }

    fileprivate static func text(of number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }
}

extension ScriptExpectation: CustomStringConvertible {
    /// The condition in words, safe to print.
    var description: String {
        let text =
            switch condition {
            case .equals(let value): "the value \(TerminalText.escape(value))"
            case .contains(let part): "a text with \"\(TerminalText.escape(part))\""
            case .matches(let pattern): "a text that matches \"\(TerminalText.escape(pattern))\""
            case .between(let range, let format):
                "a number from \(Self.text(of: range.lowerBound)) to "
                    + Self.text(of: range.upperBound)
                    + (format.map { " as \($0.rawValue)" } ?? "")
            }
        return isNegated ? "not \(text)" : text
    }
}

extension ScriptSubject {
    /// The maximum number of characters of a result that a message repeats.
    private static let shownLimit = 200

    /// The text for a message, on one line.
    var shown: String {
        let line = text.replacing("\n", with: " / ")
        return line.count > Self.shownLimit ? line.prefix(Self.shownLimit) + "…" : line
    }

    /// Returns the number that the bytes encode in the format. Without a format, returns the first
    /// number in the meaning of a value, or in the text of another result.
    fileprivate func number(as format: NumberFormat?) throws(ProgramFailure) -> Double {
        if let format {
            guard let bytes, let number = format.decode(bytes) else {
                throw ProgramFailure(
                    .unmet,
                    "expected \(format.count) bytes of \(format.rawValue), but the result is \(shown)"
                )
            }
            return number
        }
        let searched = bytes == nil ? text : meaning
        guard let searched, let number = Self.firstNumber(in: searched) else {
            throw ProgramFailure(
                .unmet,
                "expected a number, but the result is \(shown)",
                advice: bytes == nil ? "" : "name the type of the value: uint8 between LOW HIGH"
            )
        }
        return number
    }

    /// Returns the first decimal number in a text, with its sign and fraction.
    static func firstNumber(in text: String) -> Double? {
        let characters = Array(text.unicodeScalars.prefix(ScriptExpectation.textLimit))
        func isDigit(_ index: Int) -> Bool {
            characters.indices.contains(index) && ("0"..."9").contains(characters[index])
        }
        guard let start = characters.indices.first(where: isDigit) else { return nil }
        var end = start
        while isDigit(end) { end += 1 }
        if end < characters.count, characters[end] == ".", isDigit(end + 1) {
            end += 1
            while isDigit(end) { end += 1 }
        }
        let isNegative = start > 0 && characters[start - 1] == "-"
        var digits = String.UnicodeScalarView()
        digits.append(contentsOf: characters[start..<end])
        return Double(String(digits)).map { isNegative ? -$0 : $0 }
    }
}

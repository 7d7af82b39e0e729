// SPDX-License-Identifier: Apache-2.0

/// The event that a line with `wait` waits for.
enum WaitCondition: Equatable, Sendable {
    /// A time passes.
    case time(Duration)
    /// A subscribed value arrives. It must be of the characteristic and meet the expectation,
    /// unless these are `nil`. A value that arrived earlier counts if no line has taken it.
    case notification(CharacteristicReference?, ScriptExpectation?)
    /// There is no link.
    case disconnected
    /// A scan receives an advertisement of the device.
    case device(Target)

    /// The time limit of a wait or a check for which the script sets none.
    static let defaultLimit = Duration.seconds(10)
    /// The longest time, in seconds: one day.
    static let longestSeconds = 86_400.0
    /// The forms, for messages.
    static let forms = """
        SECONDS, notification [CHARACTERISTIC] [EXPECTATION], disconnected or device TARGET, and \
        within SECONDS
        """
    /// The words that begin a condition.
    static let keywords = ["notification", "disconnected", "device"]

    /// Parses the words after `wait`, without `within`.
    init(_ words: ArraySlice<String>) throws(ProgramFailure) {
        var rest = words
        guard let first = rest.popFirst() else { throw Self.unknown(words) }
        switch (first, rest.count) {
        case ("notification", _):
            var reference: CharacteristicReference?
            if let next = rest.first, !ScriptExpectation.begins(with: rest) {
                reference = try CharacteristicReference(next)
                rest.removeFirst()
            }
            self = .notification(reference, rest.isEmpty ? nil : try ScriptExpectation(rest))
        case ("disconnected", 0): self = .disconnected
        case ("device", 1): self = .device(try Target(rest[rest.startIndex]))
        case (_, 0) where first.first?.isLetter == false: self = .time(try Self.seconds(first))
        default: throw Self.unknown(words)
        }
    }

    /// Takes `within SECONDS` from the end of the words.
    static func takeLimit(
        from words: inout ArraySlice<String>
    ) throws(ProgramFailure) -> Duration? {
        guard words.count >= 2, words[words.endIndex - 2] == "within" else { return nil }
        let limit = try seconds(words[words.endIndex - 1])
        words.removeLast(2)
        return limit
    }

    /// Parses a time: a number of seconds greater than 0 and at most `longestSeconds`.
    static func seconds(_ text: String) throws(ProgramFailure) -> Duration {
        guard let number = Double(text), number > 0, number <= longestSeconds else {
            let shown = TerminalText.escape(String(text.prefix(60)))
            throw .usage(
                "'\(shown)' is not a valid time",
                advice:
                    "use a number of seconds greater than 0 and at most \(Int(longestSeconds))"
            )
        }
        return .seconds(number)
    }

    private static func unknown(_ words: ArraySlice<String>) -> ProgramFailure {
        guard let first = words.first else {
            return .usage("'wait' needs an event", advice: "use \(forms)")
        }
        let shown = TerminalText.escape(String(words.joined(separator: " ").prefix(60)))
        return .usage(
            "'\(shown)' is not an event to wait for",
            advice: keywords.contains(first)
                ? "use \(forms)"
                : ProgramFailure.didYouMean(first, among: keywords, otherwise: "use \(forms)")
        )
    }
}

extension WaitCondition: CustomStringConvertible {
    /// The event in words, safe to print.
    var description: String {
        switch self {
        case .time(let duration): "waiting \(SecondsText.describe(duration))"
        case .notification(let reference, let expectation):
            "waiting for \(expectation.map { "\($0)" } ?? "a value")"
                + (reference.map { " of \($0)" } ?? "")
        case .disconnected: "waiting for the end of the link"
        case .device(let target): "waiting for \(target)"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The state of a script or a shell between its lines: variables, limits and the last result.
///
/// The interpreter does no I/O and reads no clock. Its owner gives it each line with the time,
/// performs the returned action, and reports the result before the next line.
struct ScriptInterpreter: Sendable {
    /// An action that the owner of the interpreter performs for a line.
    enum Action: Equatable, Sendable {
        /// Do nothing: the interpreter itself has performed the line.
        case none
        /// Perform the operation, at most for this time, and then call `completed` or `failed`.
        case perform(ShellOperation, within: Duration?)
        /// Wait for the event, at most for this time, and then call `completed` if the event has a
        /// result.
        case wait(WaitCondition, within: Duration)
        /// Compare the result with the expectation, at most for this time.
        case check(ScriptExpectation, ScriptSubject, within: Duration)
        /// End the shell.
        case quit
    }

    /// The maximum number of variables. The variables of the last result may exceed it.
    static let variableLimit = 256
    /// The maximum length of the value of a variable in bytes; of `output`, in characters.
    static let valueLimit = 8_192
    /// The variables of the last result.
    static let resultVariables = ["value", "meaning", "output"]

    private(set) var variables: [String: String] = [:]
    /// The last result; `nil` before the first.
    private(set) var subject: ScriptSubject?
    private let start: Instant
    private var stepLimit: Duration?
    private var totalLimit: Duration?
    private var isFailureExpected = false

    /// Creates an interpreter before its first line.
    ///
    /// - Parameters:
    ///   - start: The time from which the limit of the whole script counts.
    ///   - limit: The time limit of the whole script; `nil` for none.
    init(
        variables: [String: String] = [:],
        start: Instant,
        limit: Duration? = nil
    ) throws(ProgramFailure) {
        self.start = start
        totalLimit = limit
        for (name, value) in variables { try set(name, to: value) }
    }

    /// Receives a line. Returns the action for it.
    mutating func receive(_ line: String, now: Instant) throws(ProgramFailure) -> Action {
        isFailureExpected = false
        let words = try ShellWords(line)
        guard !words.words.isEmpty else { return .none }
        let remaining = try remainingTime(now)
        switch try ShellStatement(try words.expanded(variables)) {
        case .perform(let operation):
            return .perform(operation, within: earlier(stepLimit, remaining))
        case .fails(let operation):
            isFailureExpected = true
            return .perform(operation, within: earlier(stepLimit, remaining))
        case .set(let name, let value): try set(name, to: value)
        case .timeout(let limit): stepLimit = limit
        case .limit(let limit): totalLimit = limit
        case .expect(let expectation):
            guard let subject else {
                throw .usage("there is no result yet", advice: "use a command before 'expect'")
            }
            return .check(expectation, subject, within: bounded(nil, remaining))
        case .wait(let condition, let limit):
            return .wait(condition, within: bounded(Self.limit(of: condition, limit), remaining))
        case .quit: return .quit
        }
        return .none
    }

    /// Receives the result of an operation. Throws if the operation was expected to fail.
    mutating func completed(_ result: ScriptSubject) throws(ProgramFailure) {
        take(result)
        guard isFailureExpected else { return }
        isFailureExpected = false
        throw ScriptExpectation.Comparison(
            isMet: false,
            expected: "a failure",
            actual: "\"\(result.shown)\""
        ).failure
    }

    /// Receives the failure of an operation. Throws it unless it was expected.
    mutating func failed(_ failure: ProgramFailure) throws(ProgramFailure) {
        guard isFailureExpected, !Self.fatal.contains(failure.status) else { throw failure }
        isFailureExpected = false
        take(ScriptSubject(text: failure.happened))
    }

    /// Returns the failure of a step that took longer than the action allows.
    func timedOut(_ step: String, after limit: Duration, now: Instant) -> ProgramFailure {
        if let totalLimit, now - start >= totalLimit { return Self.tooLong(totalLimit) }
        return ProgramFailure(
            .timedOut,
            "\(step): not done within \(SecondsText.describe(limit))",
            advice: "allow more time with 'timeout' or 'within'"
        )
    }

    /// The failures that `fails` does not accept, because the device does not cause them.
    private static let fatal: Set<ProcessStatus> = [
        .interrupted, .outputClosed, .adapterUnavailable, .internalError, .usage,
    ]

    private mutating func take(_ result: ScriptSubject) {
        subject = result
        variables["output"] = String(result.text.prefix(Self.valueLimit))
        variables["value"] = result.bytes.map(\.hexadecimal)
        variables["meaning"] = result.meaning
    }

    private mutating func set(_ name: String, to value: String) throws(ProgramFailure) {
        guard variables[name] != nil || variables.count < Self.variableLimit else {
            throw .usage(
                "there are more than \(Self.variableLimit) variables",
                advice: "set an existing variable again"
            )
        }
        guard value.utf8.count <= Self.valueLimit else {
            throw .usage(
                "the value of $\(name) has more than \(Self.valueLimit) bytes",
                advice: "use a shorter value"
            )
        }
        variables[name] = value
    }
}

// MARK: - Limits

extension ScriptInterpreter {
    /// Returns the time until the limit of the whole script; `nil` if it has none.
    private func remainingTime(_ now: Instant) throws(ProgramFailure) -> Duration? {
        guard let totalLimit else { return nil }
        let remaining = totalLimit - (now - start)
        guard remaining > .zero else { throw Self.tooLong(totalLimit) }
        return remaining
    }

    private static func tooLong(_ limit: Duration) -> ProgramFailure {
        ProgramFailure(
            .timedOut,
            "the script takes longer than its limit of \(SecondsText.describe(limit))",
            advice: "allow more time with 'limit' or --limit"
        )
    }

    private func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one else { return other }
        return other.map { min(one, $0) } ?? one
    }

    /// Returns the limit of a wait or a check, which always has one.
    private func bounded(_ own: Duration?, _ remaining: Duration?) -> Duration {
        let limit = own ?? stepLimit ?? WaitCondition.defaultLimit
        return remaining.map { min(limit, $0) } ?? limit
    }

    /// Returns the limit of a wait. Without `within`, the limit of a wait for a time is longer than
    /// the time.
    private static func limit(of condition: WaitCondition, _ limit: Duration?) -> Duration? {
        if let limit { return limit }
        if case .time(let duration) = condition { return duration + WaitCondition.defaultLimit }
        return nil
    }
}

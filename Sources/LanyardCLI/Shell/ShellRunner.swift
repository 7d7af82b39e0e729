// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// The part of the shell that runs lines in a session, one after the other.
struct ShellRunner: Sendable {
    let session: ShellSession
    let printer: ShellPrinter
    /// The name of the script for messages; `nil` for lines that a person types.
    let script: String?
    var interpreter: ScriptInterpreter
    /// The current time.
    let now: @Sendable () -> Instant
    /// Receives the closure that cancels the running line.
    var onInterrupt: @Sendable ((@Sendable () -> Void)?) -> Void = { _ in }
    /// The number of lines so far that had an action or failed.
    private(set) var steps = 0

    init(
        session: ShellSession,
        printer: ShellPrinter,
        script: String?,
        interpreter: ScriptInterpreter,
        now: @escaping @Sendable () -> Instant
    ) {
        self.session = session
        self.printer = printer
        self.script = script
        self.interpreter = interpreter
        self.now = now
    }

    /// Runs a line. Returns whether the shell continues. Throws `ProgramFailure`, with the place of
    /// the line in a script.
    mutating func run(_ line: String, number: Int) async throws -> Bool {
        do {
            return try await step(line, number: number)
        } catch {
            let failure = ProgramFailure(error, during: "running the line").inShell
            guard failure.status != .outputClosed else { throw failure }
            if printer.isJSON { try printer.report(.failed(line: number, failure)) }
            guard let script else { throw failure }
            throw failure.at(script, line: number)
        }
    }

    private mutating func step(_ line: String, number: Int) async throws -> Bool {
        let action: ScriptInterpreter.Action
        do throws(ProgramFailure) {
            action = try interpreter.receive(line, now: now())
        } catch {
            steps += 1
            throw error
        }
        if action != .none { steps += 1 }
        switch action {
        case .none: break
        case .quit: return false
        case .perform(let operation, let limit):
            let name = String(line.trimmingPrefix(while: \.isWhitespace).prefix(Self.shownLimit))
            try await perform(operation, named: name, within: limit, number: number)
        case .wait(let condition, let limit):
            let subject = try await limited("\(condition)", limit) { [session] in
                try await session.wait(for: condition)
            }
            if let subject { try interpreter.completed(subject) }
        case .check(let expectation, let subject, let limit):
            try await check(expectation, subject, within: limit, number: number)
        }
        return true
    }

    /// The maximum number of characters of a line that a message repeats.
    private static let shownLimit = 60

    private mutating func perform(
        _ operation: ShellOperation,
        named name: String,
        within limit: Duration?,
        number: Int
    ) async throws {
        do {
            let output = try await limited(TerminalText.escape(name), limit) { [session] in
                try await session.perform(operation, line: number)
            }
            let command = name.prefix { !$0.isWhitespace }
            try printer.report(output, of: String(command), line: number)
            try interpreter.completed(output.subject)
        } catch {
            let failure = ProgramFailure(error, during: TerminalText.escape(name))
            try interpreter.failed(failure)
            try printer.report(.failedAsExpected(line: number, failure.happened))
        }
    }

    private func check(
        _ expectation: ScriptExpectation,
        _ subject: ScriptSubject,
        within limit: Duration,
        number: Int
    ) async throws {
        let comparison = try await limited("comparing", limit) {
            try expectation.comparison(with: subject)
        }
        if printer.isJSON {
            try printer.report(
                .expectation(
                    line: number,
                    isMet: comparison.isMet,
                    expected: comparison.expected,
                    actual: comparison.actual
                )
            )
        }
        if !comparison.isMet { throw comparison.failure }
    }

    /// Runs `body` within the limit. The closure for `onInterrupt` cancels it.
    private func limited<Value: Sendable>(
        _ step: String,
        _ limit: Duration?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { () async throws -> Value? in
            guard let limit else { return try await FirstResult.of([body]) }
            return try await TimeLimit.run(limit, body)
        }
        onInterrupt { task.cancel() }
        defer { onInterrupt(nil) }
        let value = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        guard let value else {
            throw interpreter.timedOut(step, after: limit ?? .zero, now: now())
        }
        return value
    }
}

extension ProgramFailure {
    /// The same failure with advice for the shell, in which commands do not begin with the name of
    /// the program.
    var inShell: ProgramFailure {
        ProgramFailure(
            status,
            happened,
            advice: advice.replacing("'lanyard ", with: "'")
                .replacing("allow more time with --timeout", with: "start with --timeout SECONDS")
        )
    }
}

// MARK: - Sources of lines

extension ShellRunner {
    /// Runs the lines of a script. Throws the first failure. With `keepsGoing`, continues after
    /// failures. If there were any, throws a failure with the status of the first one after the
    /// last line.
    mutating func run(_ script: Script, keepsGoing: Bool) async throws {
        let (lines, feed) = AsyncStream.makeStream(of: String.self)
        for line in script.lines { feed.yield(line.text) }
        feed.finish()
        try await run(lines, keepsGoing: keepsGoing)
    }

    /// Runs lines as they arrive.
    mutating func run(_ lines: AsyncStream<String>, keepsGoing: Bool) async throws {
        var number = 0
        var failures = 0
        var first: ProgramFailure?
        for await line in lines {
            number += 1
            do {
                guard try await run(line, number: number) else { break }
            } catch let failure as ProgramFailure {
                guard keepsGoing, Self.continues(after: failure) else { throw failure }
                failures += 1
                first = first ?? failure
                if !printer.isJSON { printer.console.remark(failure.line + "\n") }
            }
        }
        try Task.checkCancellation()
        guard let first else { return }
        throw ProgramFailure(
            first.status,
            "\(script ?? "the script"): \(failures) of \(steps) steps failed"
        )
    }

    /// Connects before the first line. A failure is printed.
    mutating func connect(to target: Target, at terminal: LineTerminal) async {
        onInterrupt = { terminal.onInterrupt($0) }
        do {
            let output = try await limited("connect", nil) { [session] in
                try await session.perform(.connect(target), line: 0)
            }
            try printer.report(output, of: "connect", line: 0)
        } catch {
            let failure = ProgramFailure(error, during: "connecting").inShell
            printer.console.remark(failure.lineInShell + "\n")
        }
    }

    /// Runs the lines that a person types, until `quit` or the end of the input.
    mutating func run(at terminal: LineTerminal, _ history: ShellHistory?) async throws {
        onInterrupt = { terminal.onInterrupt($0) }
        var number = 0
        while true {
            guard let line = await terminal.readLine(prompt: await session.presentStatus().prompt)
            else { return }
            try Task.checkCancellation()
            number += 1
            history?.add(line)
            do {
                guard try await run(line, number: number) else { return }
            } catch let failure as ProgramFailure {
                guard Self.continues(after: failure) || failure == .interrupted else {
                    throw failure
                }
                try Task.checkCancellation()
                if !printer.isJSON { printer.console.remark(failure.lineInShell + "\n") }
            }
        }
    }

    private static func continues(after failure: ProgramFailure) -> Bool {
        ![.interrupted, .outputClosed].contains(failure.status)
    }
}

extension ProgramFailure {
    /// The line that the shell prints for a failure, without the name of the program.
    fileprivate var lineInShell: String {
        let text = happened + (advice.isEmpty ? "" : "; " + advice)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A queue of questions that are asked one at a time, with lines of input as the answers.
///
/// Only the first question in the queue is shown. A line answers the question that is shown, and no
/// other. If a person types the lines, text that was typed before a question is first shown is
/// discarded. When the question is shown again below other output, only text without an end of line
/// is discarded. For `changeLimit` after a question ended without an answer, a person's answers are
/// rejected, because the person may not have read the next question yet.
final class QuestionQueue: Sendable {
    /// The use of a line that answers no question.
    enum Unasked: Sendable {
        case discarded
        /// The line waits for the next question.
        case queued
        /// The line is a command.
        case passed(AsyncStream<String>.Continuation)
    }

    /// The number of invalid answers after which a question ends without an answer. Commands do not
    /// count.
    static let attemptLimit = 3
    /// The maximum number of lines that wait for questions. Further lines are discarded.
    static let queuedLineLimit = 256
    /// The maximum number of commands that wait to be performed.
    static let commandLimit = 4_096
    /// The time for which a person's answers are rejected after a question ended without an answer.
    static let changeLimit = Duration.seconds(2)

    /// The text after a question that was withdrawn.
    static let over = "That question is over."
    /// The text after an answer that came within `changeLimit`, or was read before its question was
    /// shown.
    static let tooSoon = "The question has changed. Please read it, and answer again."

    fileprivate struct Asked {
        let number: UInt64
        /// The text that is shown once, above the question.
        let introduction: String
        let prompt: String
        /// The text after a line that is not an answer.
        let hint: String
        /// Returns a closure that delivers this line as the answer; `nil` if the line is not an
        /// answer.
        let take: @Sendable (String) -> (@Sendable () -> Void)?
        /// Ends the question without an answer.
        let giveUp: @Sendable () -> Void
        var attempts = 0
    }

    fileprivate struct State {
        var asked: [Asked] = []
        var queuedLines: [String] = []
        var isOver = false
        var lastNumber: UInt64 = 0
        /// The time at which the first question in the queue was shown.
        var shownAt: ContinuousClock.Instant?
        /// The time at which a question that was shown ended without an answer.
        var changedAt: ContinuousClock.Instant?
    }

    fileprivate let unasked: Unasked
    fileprivate let say: @Sendable (String) -> Void
    /// Discards input that was typed and not yet read.
    fileprivate let forgetTyped: @Sendable (TypedInput) -> Void
    /// Whether a person reads the questions on a terminal and types the answers.
    fileprivate let hasPerson: Bool
    /// The text that erases the question's line, or begins another one.
    fileprivate let lineStart: String
    fileprivate let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - say: Shows a text to the person.
    ///   - forgetTyped: Discards input that was typed and not yet read.
    ///   - hasPerson: Whether a person reads the questions on a terminal and types the answers.
    ///   - lineStart: The text that erases the question's line, or begins another one.
    ///   - now: The current time.
    init(
        unasked: Unasked,
        say: @escaping @Sendable (String) -> Void,
        forgetTyped: @escaping @Sendable (TypedInput) -> Void = { _ in },
        hasPerson: Bool = false,
        lineStart: String = LiveArea.eraseLine,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.unasked = unasked
        self.say = say
        self.forgetTyped = forgetTyped
        self.hasPerson = hasPerson
        self.lineStart = lineStart
        self.now = now
    }

    /// Asks a question and waits for a line that `read` accepts.
    ///
    /// - Parameter introduction: Lines that are shown above the question.
    /// - Returns: The answer; `nil` if the input ended, too many lines were not answers, or the
    ///   task was canceled.
    func ask<Answer: Sendable>(
        _ prompt: String,
        introduction: String = "",
        hint: String,
        _ read: @escaping @Sendable (String) -> Answer?
    ) async -> Answer? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(
                    Asked(
                        number: number,
                        introduction: introduction,
                        prompt: prompt,
                        hint: hint,
                        take: { line in
                            guard let answer = read(line) else { return nil }
                            return { continuation.resume(returning: answer) }
                        },
                        giveUp: { continuation.resume(returning: nil) }
                    )
                )
            }
        } onCancel: {
            withdraw(number)
        }
    }

    /// The number of questions that are shown or wait.
    var waitingCount: Int { state.withLock { $0.asked.count } }

    /// Shows other output above the current question. Text that was typed without an end of line
    /// disappears from the terminal, so it is discarded and is not part of the answer.
    func showAboveQuestion(_ show: () throws -> Void) rethrows {
        try state.withLock { state in
            guard hasPerson, let question = state.asked.first else { return try show() }
            say(lineStart)
            defer {
                forgetTyped(.unfinishedLine)
                say(lineStart + question.prompt)
            }
            try show()
        }
    }

    /// Receives a typed line that was read now.
    func receive(_ line: String) {
        receive(InputLine(text: line, readAt: now()))
    }

    private func receive(_ line: InputLine) {
        state.withLock { $0.receive(line.text, readAt: line.readAt, self) }
    }

    /// Receives the end of the input.
    func end() {
        state.withLock { state in
            state.isOver = true
            if state.queuedLines.isEmpty { state.giveUpAll() }
        }
        if case .passed(let commands) = unasked { commands.finish() }
    }

    /// Receives lines from the stream until it ends.
    func run(on lines: AsyncStream<InputLine>) async {
        for await line in lines { receive(line) }
        end()
    }

    private func enqueue(_ question: Asked) {
        state.withLock { state in
            guard !Task.isCancelled, !state.isOver || !state.queuedLines.isEmpty else {
                return question.giveUp()
            }
            state.asked.append(question)
            if state.asked.count == 1 { state.askNext(self) }
        }
    }

    /// Removes a question that is no longer needed.
    private func withdraw(_ number: UInt64) {
        state.withLock { state in
            guard let index = state.asked.firstIndex(where: { $0.number == number }) else { return }
            state.asked.remove(at: index).giveUp()
            guard index == 0 else { return }
            state.changedAt = now()
            say("\n\(Self.over)\n")
            state.askNext(self)
        }
    }
}

extension QuestionQueue.State {
    /// Shows the first question, and answers it with lines that wait.
    fileprivate mutating func askNext(_ questions: QuestionQueue) {
        guard let question = asked.first else { return }
        questions.say((questions.hasPerson ? questions.lineStart : "") + question.introduction)
        questions.forgetTyped(.all)
        // The time is taken before the prompt is printed: a line that answers the prompt can be
        // read before printing returns.
        shownAt = questions.now()
        questions.say(question.prompt)
        while let line = queuedLines.first, asked.first?.number == question.number {
            queuedLines.removeFirst()
            // A script's answers are printed, because no terminal echoes them.
            questions.say(line + "\n")
            receive(line, readAt: questions.now(), questions)
        }
        if isOver, queuedLines.isEmpty { giveUpAll() }
    }

    fileprivate mutating func receive(
        _ line: String,
        readAt: ContinuousClock.Instant,
        _ questions: QuestionQueue
    ) {
        guard let question = asked.first else { return leave(line, questions) }
        if let give = question.take(line) {
            guard !isTooSoon(readAt, questions) else {
                return questions.say(QuestionQueue.tooSoon + "\n" + question.prompt)
            }
            asked.removeFirst()
            give()
            return askNext(questions)
        }
        if case .passed(let commands) = questions.unasked {
            commands.yield(line)
            return questions.say(question.prompt)
        }
        asked[0].attempts += 1
        guard asked[0].attempts < QuestionQueue.attemptLimit else {
            asked.removeFirst().giveUp()
            changedAt = questions.now()
            return askNext(questions)
        }
        questions.say(question.hint + "\n" + question.prompt)
    }

    /// Returns whether a person's answer that was read at this time may be meant for an earlier
    /// question: it was read before the current question was shown, or another question has just
    /// ended without an answer.
    private func isTooSoon(
        _ readAt: ContinuousClock.Instant,
        _ questions: QuestionQueue
    ) -> Bool {
        guard questions.hasPerson else { return false }
        if let shownAt, readAt < shownAt { return true }
        guard let changedAt else { return false }
        return questions.now() - changedAt < QuestionQueue.changeLimit
    }

    fileprivate mutating func giveUpAll() {
        let questions = asked
        asked = []
        for question in questions { question.giveUp() }
    }

    private mutating func leave(_ line: String, _ questions: QuestionQueue) {
        switch questions.unasked {
        case .discarded: break
        case .queued:
            if queuedLines.count < QuestionQueue.queuedLineLimit { queuedLines.append(line) }
        case .passed(let commands): commands.yield(line)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where questions are asked and a person's lines are their answers: one question at a time, in the
/// order in which they came up.
///
/// A line that was there before its question answers nothing: at a terminal it is thrown away, so
/// that nobody agrees to what they have not read. A script's lines wait for their questions. And where
/// lines are orders, those that answer nothing still are.
final class AnswerDesk: Sendable {
    /// What becomes of a line that answers no question.
    enum Unasked: Sendable {
        case discarded
        case kept
        case passed(AsyncStream<String>.Continuation)
    }

    /// How often a question is asked anew after a line that is no answer; then it is not answered.
    static let attemptLimit = 3
    /// How many lines wait for questions; further ones answer nothing.
    static let keptLimit = 256
    /// How many orders wait to be carried out.
    static let orderLimit = 4_096

    fileprivate struct Asked {
        let number: UInt64
        let prompt: String
        /// What to say of a line that is no answer.
        let hint: String
        /// Takes a line, or says that it is no answer.
        let take: @Sendable (String) -> Bool
        /// Ends the question without an answer.
        let giveUp: @Sendable () -> Void
        var attempts = 0
    }

    fileprivate struct State {
        var asked: [Asked] = []
        var kept: [String] = []
        var isOver = false
        var lastNumber: UInt64 = 0
    }

    fileprivate let unasked: Unasked
    fileprivate let say: @Sendable (String) -> Void
    /// Forgets what was typed and not yet read.
    fileprivate let forgetTyped: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - say: shows a text to the person.
    ///   - forgetTyped: forgets what was typed before a question, as far as it was not read.
    init(
        unasked: Unasked,
        say: @escaping @Sendable (String) -> Void,
        forgetTyped: @escaping @Sendable () -> Void = {}
    ) {
        self.unasked = unasked
        self.say = say
        self.forgetTyped = forgetTyped
    }

    /// Asks, and waits for a line that `read` makes an answer of; nil if there is none: the input has
    /// ended, too many lines were none, or the task was cancelled.
    func ask<Answer: Sendable>(
        _ prompt: String,
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
                        prompt: prompt,
                        hint: hint,
                        take: { line in
                            guard let answer = read(line) else { return false }
                            continuation.resume(returning: answer)
                            return true
                        },
                        giveUp: { continuation.resume(returning: nil) }
                    )
                )
            }
        } onCancel: {
            withdraw(number)
        }
    }

    /// How many questions are asked, or wait to be.
    var waitingCount: Int { state.withLock { $0.asked.count } }

    /// A line was typed.
    func receive(_ line: String) {
        state.withLock { $0.receive(line, self) }
    }

    /// There will be no more lines.
    func end() {
        state.withLock { state in
            state.isOver = true
            if state.kept.isEmpty { state.giveUpAll() }
        }
        if case .passed(let orders) = unasked { orders.finish() }
    }

    /// Takes lines from the stream until it ends.
    func run(on lines: AsyncStream<String>) async {
        for await line in lines { receive(line) }
        end()
    }

    private func enqueue(_ question: Asked) {
        state.withLock { state in
            guard !Task.isCancelled, !state.isOver || !state.kept.isEmpty else {
                return question.giveUp()
            }
            state.asked.append(question)
            if state.asked.count == 1 { state.askNext(self) }
        }
    }

    /// The question is of no more use.
    private func withdraw(_ number: UInt64) {
        state.withLock { state in
            guard let index = state.asked.firstIndex(where: { $0.number == number }) else { return }
            state.asked.remove(at: index).giveUp()
            guard index == 0 else { return }
            say("\n")
            state.askNext(self)
        }
    }
}

extension AnswerDesk.State {
    /// Asks the question that has its turn, and lets lines answer that wait for it.
    fileprivate mutating func askNext(_ desk: AnswerDesk) {
        guard let question = asked.first else { return }
        desk.forgetTyped()
        desk.say(question.prompt)
        while let line = kept.first, asked.first?.number == question.number {
            kept.removeFirst()
            // Nobody sees what a script answers.
            desk.say(line + "\n")
            receive(line, desk)
        }
        if isOver, kept.isEmpty { giveUpAll() }
    }

    fileprivate mutating func receive(_ line: String, _ desk: AnswerDesk) {
        guard let question = asked.first else { return leave(line, desk) }
        if question.take(line) {
            asked.removeFirst()
            return askNext(desk)
        }
        if case .passed(let orders) = desk.unasked {
            orders.yield(line)
            return desk.say(question.prompt)
        }
        asked[0].attempts += 1
        guard asked[0].attempts < AnswerDesk.attemptLimit else {
            asked.removeFirst().giveUp()
            return askNext(desk)
        }
        desk.say(question.hint + "\n" + question.prompt)
    }

    fileprivate mutating func giveUpAll() {
        let questions = asked
        asked = []
        for question in questions { question.giveUp() }
    }

    private mutating func leave(_ line: String, _ desk: AnswerDesk) {
        switch desk.unasked {
        case .discarded: break
        case .kept: if kept.count < AnswerDesk.keptLimit { kept.append(line) }
        case .passed(let orders): orders.yield(line)
        }
    }
}

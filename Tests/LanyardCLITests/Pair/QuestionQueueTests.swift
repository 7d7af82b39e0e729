// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("The queue of questions")
struct QuestionQueueTests {
    /// The output, for tests that wait for a text.
    final class Screen: Sendable {
        private let (texts, feed) = AsyncStream.makeStream(of: String.self)
        private let shown = Mutex("")

        var text: String { shown.withLock { $0 } }

        @Sendable func say(_ text: String) {
            shown.withLock { $0 += text }
            feed.yield(text)
        }

        /// Waits until the text was printed.
        func wait(for expected: String) async {
            for await text in texts where text.contains(expected) { return }
        }
    }

    private let screen = Screen()

    private func ask(_ questions: QuestionQueue, _ prompt: String = "Sure? ") async -> Bool? {
        await questions.ask(prompt, hint: "y or n.", PairingText.readYes)
    }

    @Test("The next line answers the question")
    func asks() async {
        let questions = QuestionQueue(unasked: .discarded, say: screen.say)
        async let answer = ask(questions)
        await screen.wait(for: "Sure? ")
        questions.receive("y")
        #expect(await answer == true)
    }

    @Test("Input typed before the question is discarded")
    func discards() async {
        let forgotten = Mutex(0)
        let questions = QuestionQueue(
            unasked: .discarded,
            say: screen.say,
            forgetTyped: { _ in forgotten.withLock { $0 += 1 } }
        )
        questions.receive("y")
        async let answer = ask(questions)
        await screen.wait(for: "Sure? ")
        #expect(forgotten.withLock { $0 } == 1)
        questions.receive("")
        #expect(await answer == false)
    }

    @Test("The lines of a script answer the questions in order, and each answer is printed")
    func keeps() async {
        let questions = QuestionQueue(unasked: .queued, say: screen.say)
        for line in ["n", "y"] { questions.receive(line) }
        questions.end()
        #expect(await ask(questions) == false)
        #expect(await ask(questions) == true)
        #expect(await ask(questions) == nil)
        #expect(screen.text == "Sure? n\nSure? y\n")
    }

    @Test("A question is asked again after an invalid line, up to the limit")
    func insists() async {
        let questions = QuestionQueue(unasked: .discarded, say: screen.say)
        async let answer = ask(questions)
        await screen.wait(for: "Sure? ")
        for _ in 1..<QuestionQueue.attemptLimit {
            questions.receive("perhaps")
            await screen.wait(for: "y or n.\nSure? ")
        }
        questions.receive("perhaps")
        #expect(await answer == nil)
    }

    @Test("Lines that answer no question are passed on, even while a question is open")
    func passes() async {
        let (commands, feed) = AsyncStream.makeStream(of: String.self)
        let questions = QuestionQueue(unasked: .passed(feed), say: screen.say)
        questions.receive("set 2A19 05")
        async let answer = ask(questions)
        await screen.wait(for: "Sure? ")
        questions.receive("help")
        await screen.wait(for: "Sure? ")
        questions.receive("y")
        #expect(await answer == true)
        questions.receive("quit")
        questions.end()
        var passed: [String] = []
        for await command in commands { passed.append(command) }
        #expect(passed == ["set 2A19 05", "help", "quit"])
    }

    @Test("Questions are asked one at a time, in order")
    func queues() async {
        let questions = QuestionQueue(unasked: .discarded, say: screen.say)
        async let first = ask(questions, "First? ")
        await screen.wait(for: "First? ")
        let second = Task { await ask(questions, "Second? ") }
        while questions.waitingCount < 2 { await Task.yield() }
        #expect(screen.text == "First? ")
        questions.receive("n")
        await screen.wait(for: "Second? ")
        questions.receive("y")
        #expect(await first == false)
        #expect(await second.value == true)
    }

    @Test("A late line does not answer a withdrawn question")
    func withdraws() async {
        let questions = QuestionQueue(unasked: .discarded, say: screen.say)
        let question = Task { await ask(questions) }
        await screen.wait(for: "Sure? ")
        question.cancel()
        #expect(await question.value == nil)
        questions.receive("y")
        async let other = ask(questions, "Other? ")
        await screen.wait(for: "Other? ")
        questions.receive("n")
        #expect(await other == false)
    }

    @Test("The end of the input ends all questions without an answer")
    func ends() async {
        let questions = QuestionQueue(unasked: .discarded, say: screen.say)
        async let answer = ask(questions)
        await screen.wait(for: "Sure? ")
        questions.end()
        #expect(await answer == nil)
        #expect(await ask(questions) == nil)
    }

    @Test("The introduction is shown with the question and not before")
    func introduces() async {
        let questions = QuestionQueue(unasked: .discarded, say: screen.say)
        async let first = questions.ask(
            "A? ",
            introduction: "A wants it.\n",
            hint: "",
            Self.readYes
        )
        await screen.wait(for: "A? ")
        let second = Task {
            await questions.ask("B? ", introduction: "B wants it.\n", hint: "", Self.readYes)
        }
        while questions.waitingCount < 2 { await Task.yield() }
        #expect(screen.text == "A wants it.\nA? ")
        questions.receive("n")
        await screen.wait(for: "B? ")
        #expect(screen.text == "A wants it.\nA? B wants it.\nB? ")
        questions.receive("y")
        #expect(await first == false)
        #expect(await second.value == true)
    }

    @Test("The question is shown again below other output, only at a terminal")
    func redraws() async {
        for hasPerson in [true, false] {
            let screen = Screen()
            let questions = QuestionQueue(
                unasked: .discarded,
                say: screen.say,
                hasPerson: hasPerson
            )
            questions.showAboveQuestion { screen.say("early\n") }
            let question = Task { await ask(questions) }
            await screen.wait(for: "Sure? ")
            questions.showAboveQuestion { screen.say("news\n") }
            let drawn = screen.text.split(separator: "early\n").last.map(String.init)
            let erase = LiveArea.eraseLine
            let expected = hasPerson ? "\(erase)Sure? \(erase)news\n\(erase)Sure? " : "Sure? news\n"
            #expect(drawn == expected)
            questions.receive("y")
            #expect(await question.value == true)
        }
    }

    @Test("Lines right after a question that ended without an answer are rejected")
    func changes() async {
        let time = Mutex(ContinuousClock.now)
        let questions = QuestionQueue(
            unasked: .discarded,
            say: screen.say,
            hasPerson: true,
            now: { time.withLock { $0 } }
        )
        let first = Task { await ask(questions, "The attacker? ") }
        await screen.wait(for: "The attacker? ")
        let second = Task { await ask(questions, "The phone? ") }
        while questions.waitingCount < 2 { await Task.yield() }
        first.cancel()
        #expect(await first.value == nil)
        await screen.wait(for: "The phone? ")
        questions.receive("y")
        #expect(questions.waitingCount == 1 && screen.text.contains(QuestionQueue.tooSoon))
        time.withLock { $0 += QuestionQueue.changeLimit }
        questions.receive("n")
        #expect(await second.value == false)
    }

    @Test("Text typed before other output is discarded before the question is shown again")
    func forgets() async {
        let screen = screen
        let questions = QuestionQueue(
            unasked: .discarded,
            say: screen.say,
            forgetTyped: { screen.say("<forgotten \($0)>") },
            hasPerson: true
        )
        let question = Task { await ask(questions) }
        await screen.wait(for: "Sure? ")
        questions.showAboveQuestion { screen.say("news\n") }
        let erase = LiveArea.eraseLine
        #expect(
            screen.text.hasSuffix("Sure? \(erase)news\n<forgotten unfinishedLine>\(erase)Sure? ")
        )
        questions.receive("")
        #expect(await question.value == false)
    }

    @Test("A line that is read while the prompt is being printed answers it")
    func readWhilePrinting() async {
        let time = Mutex(ContinuousClock.now)
        let readAt = Mutex(ContinuousClock.now)
        let screen = screen
        let questions = QuestionQueue(
            unasked: .discarded,
            say: { text in
                // The text reaches the terminal before the call returns, as on a busy machine.
                if text == "Sure? " { readAt.withLock { $0 = time.withLock { $0 } } }
                time.withLock { $0 += .milliseconds(50) }
                screen.say(text)
            },
            hasPerson: true,
            now: { time.withLock { $0 } }
        )
        let (lines, feed) = AsyncStream.makeStream(of: InputLine.self)
        let input = Task { await questions.run(on: lines) }
        let question = Task { await ask(questions) }
        await screen.wait(for: "Sure? ")
        feed.yield(InputLine(text: "y", readAt: readAt.withLock { $0 }))
        feed.finish()
        #expect(await question.value == true)
        #expect(!screen.text.contains(QuestionQueue.tooSoon))
        await input.value
    }

    @Test(
        "Discarding an unfinished line keeps a complete line that was typed before it",
        arguments: [
            ("y\n", .unfinishedLine, "y\n"), ("y", .unfinishedLine, "\n"), ("y\n", .all, "\n"),
        ] as [(String, TypedInput, String)]
    )
    func discards(typed: String, discarded: TypedInput, read expected: String) throws {
        var (terminal, other) = (-1 as Int32, -1 as Int32)
        try #require(openpty(&terminal, &other, nil, nil, nil) == 0)
        defer { for end in [terminal, other] { close(end) } }
        #expect(write(terminal, typed, typed.utf8.count) == typed.utf8.count)
        // The echo shows that the terminal has received the text.
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(read(terminal, &bytes, bytes.count) > 0)
        discarded.discard(from: other)
        #expect(write(terminal, "\n", 1) == 1)
        let count = read(other, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == expected)
    }

    @Test("A line that was read before its question was shown does not answer it")
    func readEarly() async {
        let time = Mutex(ContinuousClock.now)
        let start = time.withLock { $0 }
        let questions = QuestionQueue(
            unasked: .discarded,
            say: screen.say,
            hasPerson: true,
            now: { time.withLock { $0 } }
        )
        let first = Task { await ask(questions, "The phone? ") }
        await screen.wait(for: "The phone? ")
        let second = Task { await ask(questions, "The attacker? ") }
        while questions.waitingCount < 2 { await Task.yield() }
        time.withLock { $0 += .milliseconds(20) }
        let (lines, feed) = AsyncStream.makeStream(of: InputLine.self)
        let input = Task { await questions.run(on: lines) }
        for _ in 0..<2 { feed.yield(InputLine(text: "y", readAt: start + .milliseconds(10))) }
        await screen.wait(for: QuestionQueue.tooSoon)
        #expect(await first.value == true)
        #expect(questions.waitingCount == 1)
        feed.yield(InputLine(text: "n", readAt: start + .milliseconds(30)))
        #expect(await second.value == false)
        feed.finish()
        await input.value
    }

    @Test("Lines right after a question that ended by its attempt limit are rejected")
    func changesAfterAttempts() async {
        let time = Mutex(ContinuousClock.now)
        let questions = QuestionQueue(
            unasked: .discarded,
            say: screen.say,
            hasPerson: true,
            now: { time.withLock { $0 } }
        )
        let first = Task { await ask(questions, "The attacker? ") }
        await screen.wait(for: "The attacker? ")
        let second = Task { await ask(questions, "The phone? ") }
        while questions.waitingCount < 2 { await Task.yield() }
        for _ in 0..<QuestionQueue.attemptLimit { questions.receive("perhaps") }
        #expect(await first.value == nil)
        questions.receive("y")
        #expect(questions.waitingCount == 1 && screen.text.contains(QuestionQueue.tooSoon))
        time.withLock { $0 += QuestionQueue.changeLimit }
        questions.receive("n")
        #expect(await second.value == false)
    }

    @Test("A line of the input has the time at which it was read")
    func readTimes() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let before = ContinuousClock.now
        #expect(write(ends[1], "y\nn\n", 4) == 4)
        close(ends[1])
        var texts: [String] = []
        for await line in InputLines.stream(of: ends[0]) {
            texts.append(line.text)
            #expect((before...ContinuousClock.now).contains(line.readAt))
        }
        close(ends[0])
        #expect(texts == ["y", "n"])
    }

    private static let readYes: @Sendable (String) -> Bool? = { PairingText.readYes($0) }
}

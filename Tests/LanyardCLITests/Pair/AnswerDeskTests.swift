// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import LanyardCLI

@Suite("The desk where questions are asked")
struct AnswerDeskTests {
    /// What was said, for a test that waits for it.
    final class Screen: Sendable {
        private let (texts, feed) = AsyncStream.makeStream(of: String.self)
        private let shown = Mutex("")

        var text: String { shown.withLock { $0 } }

        @Sendable func say(_ text: String) {
            shown.withLock { $0 += text }
            feed.yield(text)
        }

        /// Waits until this was said.
        func wait(for expected: String) async {
            for await text in texts where text.contains(expected) { return }
        }
    }

    private let screen = Screen()

    private func ask(_ desk: AnswerDesk, _ prompt: String = "Sure? ") async -> Bool? {
        await desk.ask(prompt, hint: "y or n.", PairingText.readYes)
    }

    @Test("asks, and takes the next line for the answer")
    func asks() async {
        let desk = AnswerDesk(unasked: .discarded, say: screen.say)
        async let answer = ask(desk)
        await screen.wait(for: "Sure? ")
        desk.receive("y")
        #expect(await answer == true)
    }

    @Test("throws away what was typed before the question")
    func discards() async {
        let forgotten = Mutex(0)
        let desk = AnswerDesk(
            unasked: .discarded,
            say: screen.say,
            forgetTyped: { forgotten.withLock { $0 += 1 } }
        )
        desk.receive("y")
        async let answer = ask(desk)
        await screen.wait(for: "Sure? ")
        #expect(forgotten.withLock { $0 } == 1)
        desk.receive("")
        #expect(await answer == false)
    }

    @Test("keeps a script's lines for the questions that come, and shows them")
    func keeps() async {
        let desk = AnswerDesk(unasked: .kept, say: screen.say)
        for line in ["n", "y"] { desk.receive(line) }
        desk.end()
        #expect(await ask(desk) == false)
        #expect(await ask(desk) == true)
        #expect(await ask(desk) == nil)
        #expect(screen.text == "Sure? n\nSure? y\n")
    }

    @Test("asks again after a line that is no answer, but not for ever")
    func insists() async {
        let desk = AnswerDesk(unasked: .discarded, say: screen.say)
        async let answer = ask(desk)
        await screen.wait(for: "Sure? ")
        for _ in 1..<AnswerDesk.attemptLimit {
            desk.receive("perhaps")
            await screen.wait(for: "y or n.\nSure? ")
        }
        desk.receive("perhaps")
        #expect(await answer == nil)
    }

    @Test("passes on the lines that answer nothing, also while it waits for an answer")
    func passes() async {
        let (orders, feed) = AsyncStream.makeStream(of: String.self)
        let desk = AnswerDesk(unasked: .passed(feed), say: screen.say)
        desk.receive("set 2A19 05")
        async let answer = ask(desk)
        await screen.wait(for: "Sure? ")
        desk.receive("help")
        await screen.wait(for: "Sure? ")
        desk.receive("y")
        #expect(await answer == true)
        desk.receive("quit")
        desk.end()
        var passed: [String] = []
        for await order in orders { passed.append(order) }
        #expect(passed == ["set 2A19 05", "help", "quit"])
    }

    @Test("asks one question at a time, in their order")
    func queues() async {
        let desk = AnswerDesk(unasked: .discarded, say: screen.say)
        async let first = ask(desk, "First? ")
        await screen.wait(for: "First? ")
        let second = Task { await ask(desk, "Second? ") }
        while desk.waitingCount < 2 { await Task.yield() }
        #expect(screen.text == "First? ")
        desk.receive("n")
        await screen.wait(for: "Second? ")
        desk.receive("y")
        #expect(await first == false)
        #expect(await second.value == true)
    }

    @Test("withdraws a question that is of no more use; a late line answers nothing")
    func withdraws() async {
        let desk = AnswerDesk(unasked: .discarded, say: screen.say)
        let question = Task { await ask(desk) }
        await screen.wait(for: "Sure? ")
        question.cancel()
        #expect(await question.value == nil)
        desk.receive("y")
        async let other = ask(desk, "Other? ")
        await screen.wait(for: "Other? ")
        desk.receive("n")
        #expect(await other == false)
    }

    @Test("answers nothing when the input has ended")
    func ends() async {
        let desk = AnswerDesk(unasked: .discarded, say: screen.say)
        async let answer = ask(desk)
        await screen.wait(for: "Sure? ")
        desk.end()
        #expect(await answer == nil)
        #expect(await ask(desk) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("The terminal of the shell") struct LineTerminalTests {
    /// A terminal with a keyboard and a screen.
    private final class TerminalFixture: Sendable {
        let terminal: LineTerminal
        let output = ScriptedAccessory.Recorder()
        private let keyboard: AsyncStream<[UInt8]>.Continuation
        private let reader: Task<Void, Never>

        init(history: [String] = []) {
            var lines = LineHistory()
            for line in history { lines.add(line) }
            let (keys, keyboard) = AsyncStream.makeStream(of: [UInt8].self)
            self.keyboard = keyboard
            let output = output
            var console = Console(
                isOutputTerminal: true,
                isRemarkTerminal: true,
                size: { Console.Size(columns: 80, rows: 24) },
                write: { output.note($0) },
                remark: { output.note($0) }
            )
            console.keys = { keys }
            let terminal = LineTerminal(console: console, history: lines)
            self.terminal = terminal
            reader = Task { await terminal.run() }
        }

        func type(_ text: String) { keyboard.yield(Array(text.utf8)) }

        /// Ends the input.
        func close() async {
            keyboard.finish()
            await reader.value
        }

        var lines: [String] { TerminalScreen.lines(of: output.lines.joined()) }

        /// Waits until the screen contains the text.
        func wait(for text: String) async {
            while !lines.joined(separator: "\n").contains(text) {
                guard await output.waitForLine() else { return }
            }
        }
    }

    @Test(
        "Output that is printed while a line is typed appears above the line",
        .timeLimit(.minutes(1))
    )
    func outputAbove() async throws {
        let fixture = TerminalFixture()
        async let line = fixture.terminal.readLine(prompt: "> ")
        await fixture.wait(for: ">")
        fixture.type("rea")
        await fixture.wait(for: "> rea")
        try fixture.terminal.write("a value\n")
        #expect(fixture.lines == ["a value", "> rea"])
        fixture.terminal.change(prompt: "new> ")
        fixture.type("d\r")
        #expect(await line == "read")
        #expect(fixture.lines == ["a value", "new> read", ""])
        await fixture.close()
    }

    @Test("A prompt that changes before it is shown has the new text", .timeLimit(.minutes(1)))
    func changeBeforeLine() async throws {
        let fixture = TerminalFixture()
        let terminal = fixture.terminal
        let prompt = { @Sendable () -> LinePrompt in
            terminal.change(prompt: "new> ")
            return "old> "
        }
        async let line = terminal.readLine(prompt: prompt())
        await fixture.wait(for: ">")
        #expect(fixture.lines == ["new>"])
        fixture.type("a\r")
        #expect(await line == "a")
        await fixture.close()
    }

    @Test(
        "Keys that are typed while a command runs wait for the next line",
        .timeLimit(.minutes(1))
    )
    func typedAhead() async {
        let fixture = TerminalFixture()
        async let first = fixture.terminal.readLine(prompt: "1> ")
        await fixture.wait(for: "1>")
        fixture.type("one\ntwo\nthr")
        #expect(await first == "one")
        #expect(await fixture.terminal.readLine(prompt: "2> ") == "two")
        async let third = fixture.terminal.readLine(prompt: "3> ")
        await fixture.wait(for: "3> thr")
        fixture.type("ee\n")
        #expect(await third == "three")
        await fixture.close()
        #expect(await fixture.terminal.readLine(prompt: "4> ") == nil)
    }

    @Test("Ctrl-C discards the line, or cancels the running command", .timeLimit(.minutes(1)))
    func interruption() async {
        let fixture = TerminalFixture()
        async let line = fixture.terminal.readLine(prompt: "> ")
        await fixture.wait(for: ">")
        fixture.type("abc\u{3}def\n")
        #expect(await line == "def")
        let cancelled = OneTimeEvent()
        fixture.terminal.onInterrupt { cancelled.occur() }
        fixture.type("\u{3}")
        await cancelled.wait()
        #expect(fixture.lines == ["> abc^C", "> def", ""])
        await fixture.close()
    }

    @Test("Ctrl-C between a line and its command cancels the command", .timeLimit(.minutes(1)))
    func earlyInterruption() async {
        let fixture = TerminalFixture()
        async let line = fixture.terminal.readLine(prompt: "> ")
        await fixture.wait(for: ">")
        fixture.type("wait 1000\n\u{3}")
        #expect(await line == "wait 1000")
        await fixture.close()
        let cancelled = OneTimeEvent()
        fixture.terminal.onInterrupt { cancelled.occur() }
        await cancelled.wait()
    }

    @Test("Ctrl-D on an empty line ends the input", .timeLimit(.minutes(1)))
    func end() async {
        let fixture = TerminalFixture()
        async let line = fixture.terminal.readLine(prompt: "> ")
        await fixture.wait(for: ">")
        fixture.type("a\u{7F}\u{4}")
        #expect(await line == nil)
        await fixture.close()
    }

    @Test(
        "A question is asked while a command runs, and its answer is no command",
        .timeLimit(.minutes(1))
    )
    func question() async {
        let fixture = TerminalFixture(history: ["earlier"])
        let (answers, feed) = AsyncStream.makeStream(of: String.self)
        fixture.terminal.onAnswer { feed.yield($0) }
        fixture.terminal.say("Pairing with a lamp.\n")
        fixture.terminal.say("Pair? [y/N] ")
        fixture.type("\u{1B}[Ama")
        await fixture.wait(for: "Pair? [y/N] ma")
        fixture.terminal.forgetTyped()
        fixture.type("y\n")
        var iterator = answers.makeAsyncIterator()
        #expect(await iterator.next() == "y")
        #expect(fixture.lines == ["Pairing with a lamp.", "Pair? [y/N] y", ""])
        #expect(fixture.terminal.history.lines == ["earlier"])
        // After a question that ends without an answer, typed keys go to the next line.
        fixture.terminal.say("Again? ")
        fixture.terminal.say("\nThat question is over.\n")
        async let line = fixture.terminal.readLine(prompt: "> ")
        await fixture.wait(for: ">")
        fixture.type("mtu\n")
        #expect(await line == "mtu")
        await fixture.close()
    }

    @Test(
        "Tab completes the word, and lists the candidates if there are several",
        .timeLimit(.minutes(1))
    )
    func completion() async {
        let fixture = TerminalFixture()
        fixture.terminal.onComplete { before in
            before == "r"
                ? LineCompletion(before: "r", candidates: ["read", "rssi"])
                : LineCompletion(before: "read ")
        }
        async let line = fixture.terminal.readLine(prompt: "> ")
        await fixture.wait(for: ">")
        fixture.type("r\te\t2A19\n")
        #expect(await line == "read 2A19")
        #expect(fixture.lines == ["read  rssi", "> read 2A19", ""])
        await fixture.close()
    }

    @Test("A display gets the keys, except Ctrl-C", .timeLimit(.minutes(1)))
    func display() async {
        let fixture = TerminalFixture()
        let cancelled = OneTimeEvent()
        fixture.terminal.onInterrupt { cancelled.occur() }
        do {
            let keys = fixture.terminal.commandConsole.keys()
            fixture.type("q")
            var iterator = keys.makeAsyncIterator()
            #expect(await iterator.next() == Array("q".utf8))
            fixture.type("\u{3}")
            await cancelled.wait()
        }
        await fixture.close()
    }
}

@Suite("The history file of the shell") struct ShellHistoryTests {
    @Test("Lines are kept in a file that only its owner can read")
    func file() throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let history = try #require(ShellHistory(environment: ["XDG_STATE_HOME": folder]))
        #expect(history.read().lines.isEmpty)
        for line in ["mtu", "mtu", " secret", "rssi"] { history.add(line) }
        // A shell that runs at the same time.
        ShellHistory(path: history.path).add("phy")
        #expect(history.read().lines == ["mtu", "rssi", "phy"])
        #expect(history.path == folder + "/lanyard/shell-history")
        let attributes = try FileManager.default.attributesOfItem(atPath: history.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let directory = try FileManager.default.attributesOfItem(atPath: folder + "/lanyard")
        #expect((directory[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(ShellHistory(environment: [:]) == nil)
    }
}

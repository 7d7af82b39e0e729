// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import LanyardCLI

@Suite("The terminal of the shell") struct LineTerminalTests {
    /// A terminal with a keyboard and a screen.
    private final class Desk: Sendable {
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
        "A line is read, with what is printed while it is typed above it",
        .timeLimit(.minutes(1))
    )
    func outputAbove() async throws {
        let desk = Desk()
        async let line = desk.terminal.readLine(prompt: "> ")
        await desk.wait(for: ">")
        desk.type("rea")
        await desk.wait(for: "> rea")
        try desk.terminal.write("a value\n")
        #expect(desk.lines == ["a value", "> rea"])
        desk.terminal.change(prompt: "new> ")
        desk.type("d\r")
        #expect(await line == "read")
        #expect(desk.lines == ["a value", "new> read", ""])
        await desk.close()
    }

    @Test(
        "Keys that are typed while a command runs wait for the next line",
        .timeLimit(.minutes(1))
    )
    func typedAhead() async {
        let desk = Desk()
        async let first = desk.terminal.readLine(prompt: "1> ")
        await desk.wait(for: "1>")
        desk.type("one\ntwo\nthr")
        #expect(await first == "one")
        #expect(await desk.terminal.readLine(prompt: "2> ") == "two")
        async let third = desk.terminal.readLine(prompt: "3> ")
        await desk.wait(for: "3> thr")
        desk.type("ee\n")
        #expect(await third == "three")
        await desk.close()
        #expect(await desk.terminal.readLine(prompt: "4> ") == nil)
    }

    @Test("Ctrl-C discards the line, or cancels the running command", .timeLimit(.minutes(1)))
    func interruption() async {
        let desk = Desk()
        async let line = desk.terminal.readLine(prompt: "> ")
        await desk.wait(for: ">")
        desk.type("abc\u{3}def\n")
        #expect(await line == "def")
        let cancelled = Moment()
        desk.terminal.onInterrupt { cancelled.occur() }
        desk.type("\u{3}")
        await cancelled.wait()
        #expect(desk.lines == ["> abc^C", "> def", ""])
        await desk.close()
    }

    @Test("Ctrl-C between a line and its command cancels the command", .timeLimit(.minutes(1)))
    func earlyInterruption() async {
        let desk = Desk()
        async let line = desk.terminal.readLine(prompt: "> ")
        await desk.wait(for: ">")
        desk.type("wait 1000\n\u{3}")
        #expect(await line == "wait 1000")
        await desk.close()
        let cancelled = Moment()
        desk.terminal.onInterrupt { cancelled.occur() }
        await cancelled.wait()
    }

    @Test("Ctrl-D on an empty line ends the input", .timeLimit(.minutes(1)))
    func end() async {
        let desk = Desk()
        async let line = desk.terminal.readLine(prompt: "> ")
        await desk.wait(for: ">")
        desk.type("a\u{7F}\u{4}")
        #expect(await line == nil)
        await desk.close()
    }

    @Test(
        "A question is asked while a command runs, and its answer is no command",
        .timeLimit(.minutes(1))
    )
    func question() async {
        let desk = Desk(history: ["earlier"])
        let (answers, feed) = AsyncStream.makeStream(of: String.self)
        desk.terminal.onAnswer { feed.yield($0) }
        desk.terminal.say("Pairing with a lamp.\n")
        desk.terminal.say("Pair? [y/N] ")
        desk.type("\u{1B}[Ama")
        await desk.wait(for: "Pair? [y/N] ma")
        desk.terminal.forgetTyped()
        desk.type("y\n")
        var iterator = answers.makeAsyncIterator()
        #expect(await iterator.next() == "y")
        #expect(desk.lines == ["Pairing with a lamp.", "Pair? [y/N] y", ""])
        #expect(desk.terminal.history.lines == ["earlier"])
        // A question that ends without an answer leaves the keys to the next line.
        desk.terminal.say("Again? ")
        desk.terminal.say("\nThat question is over.\n")
        async let line = desk.terminal.readLine(prompt: "> ")
        await desk.wait(for: ">")
        desk.type("mtu\n")
        #expect(await line == "mtu")
        await desk.close()
    }

    @Test(
        "Tab completes the word, and lists the candidates if there are several",
        .timeLimit(.minutes(1))
    )
    func completion() async {
        let desk = Desk()
        desk.terminal.onComplete { before in
            before == "r"
                ? LineCompletion(before: "r", candidates: ["read", "rssi"])
                : LineCompletion(before: "read ")
        }
        async let line = desk.terminal.readLine(prompt: "> ")
        await desk.wait(for: ">")
        desk.type("r\te\t2A19\n")
        #expect(await line == "read 2A19")
        #expect(desk.lines == ["read  rssi", "> read 2A19", ""])
        await desk.close()
    }

    @Test("A display gets the keys, except Ctrl-C", .timeLimit(.minutes(1)))
    func display() async {
        let desk = Desk()
        let cancelled = Moment()
        desk.terminal.onInterrupt { cancelled.occur() }
        do {
            let keys = desk.terminal.commandConsole.keys()
            desk.type("q")
            var iterator = keys.makeAsyncIterator()
            #expect(await iterator.next() == Array("q".utf8))
            desk.type("\u{3}")
            await cancelled.wait()
        }
        await desk.close()
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

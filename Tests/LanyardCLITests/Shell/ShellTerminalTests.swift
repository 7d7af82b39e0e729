// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

@testable import LanyardCLI

@Suite("The shell at a terminal", .serialized)
struct ShellTerminalTests {
    /// A shell on the virtual radio, with a folder for its history.
    private struct ShellFixture {
        let terminal: TerminalSession
        let folder: String

        init(_ arguments: [String] = [], in folder: String, term: String = "xterm") throws {
            self.folder = folder
            terminal = try TerminalSession(
                ["shell"] + arguments,
                environment: [
                    "XDG_STATE_HOME": folder, "TERM": term, "LANYARD_TIMEOUT": "60",
                    "LANYARD_ADAPTER": "virtual",
                ]
            )
        }

        var lines: [String] { TerminalScreen.lines(of: terminal.shown).filter { !$0.isEmpty } }

        /// Waits until the terminal shows this line.
        func wait(for line: String) async throws {
            while !lines.contains(line) { try await terminal.waitForMore() }
        }

        /// Waits until the terminal shows this line as its last one.
        func wait(forLast line: String) async throws {
            while lines.last != line { try await terminal.waitForMore() }
        }

        func quit() async throws {
            terminal.type(line: "quit")
            #expect(try await terminal.waitUntilEnd() == .exited(0))
        }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test("Tab completes commands and device names, and lists attributes", .timeLimit(.minutes(5)))
    func completion() async throws {
        try await withFolder { folder in
            let shell = try ShellFixture(in: folder)
            try await shell.wait(forLast: "virtual>")
            shell.terminal.type("conn\ttherm\t")
            try await shell.wait(forLast: "virtual> connect Thermometer")
            shell.terminal.type("\n")
            try await shell.wait(forLast: "virtual Thermometer>")
            // The characteristics are discovered after the connection.
            shell.terminal.type("read 2A6")
            try await shell.wait(forLast: "virtual Thermometer> read 2A6")
            shell.terminal.type("\t")
            try await shell.wait(for: "2A6D Pressure     2A6E Temperature  2A6F Humidity")
            shell.terminal.type("E\n")
            try await shell.wait(for: "6608  21.50 °C")
            try await shell.quit()
        }
    }

    @Test("Ctrl-C cancels the running command, and the shell continues", .timeLimit(.minutes(5)))
    func interruption() async throws {
        try await withFolder { folder in
            let shell = try ShellFixture(in: folder)
            try await shell.wait(forLast: "virtual>")
            shell.terminal.type("wait 1000\n")
            try await shell.wait(for: "virtual> wait 1000")
            shell.terminal.type(TerminalSession.interruption)
            try await shell.wait(for: "Interrupted")
            shell.terminal.type("ech")
            try await shell.wait(forLast: "virtual> ech")
            shell.terminal.type(TerminalSession.interruption)
            shell.terminal.type("echo on\n")
            try await shell.wait(for: "on")
            #expect(shell.lines.contains("virtual> ech^C"))
            shell.terminal.type(TerminalSession.endOfInput)
            #expect(try await shell.terminal.waitUntilEnd() == .exited(0))
        }
    }

    @Test("The end of a link is printed above the prompt, with its reason", .timeLimit(.minutes(5)))
    func endOfLink() async throws {
        try await withFolder { folder in
            let shell = try ShellFixture(["Lanyard Demo"], in: folder)
            try await shell.wait(forLast: "virtual Lanyard Demo>")
            let control = "4C414E59-4152-4400-A000-000000000006"
            shell.terminal.type("write \(control) 0300000000\n")
            let end = "The link to Lanyard Demo ended: remote user terminated connection."
            try await shell.wait(for: end)
            try await shell.wait(forLast: "virtual>")
            shell.terminal.type("connect\n")
            try await shell.wait(forLast: "virtual Lanyard Demo>")
            try await shell.quit()
        }
    }

    @Test("The history has the lines of the previous run", .timeLimit(.minutes(5)))
    func history() async throws {
        try await withFolder { folder in
            let first = try ShellFixture(in: folder)
            try await first.wait(forLast: "virtual>")
            first.terminal.type("echo one\n")
            try await first.wait(forLast: "virtual>")
            try await first.quit()
            let second = try ShellFixture(in: folder)
            try await second.wait(forLast: "virtual>")
            second.terminal.type("\u{1B}[A\u{1B}[A")
            try await second.wait(forLast: "virtual> echo one")
            second.terminal.type("!\u{1}\u{5}\n")
            try await second.wait(for: "one!")
            try await second.quit()
            let third = try ShellFixture(["--no-history"], in: folder)
            try await third.wait(forLast: "virtual>")
            third.terminal.type("\u{1B}[A")
            third.terminal.type("echo two\n")
            try await third.wait(for: "virtual> echo two")
            try await third.quit()
            let path = folder + "/lanyard/shell-history"
            let kept = try String(contentsOfFile: path, encoding: .utf8)
            #expect(kept == "echo one\nquit\necho one!\nquit\n")
        }
    }

    @Test("A live scan ends with q and returns to the prompt", .timeLimit(.minutes(5)))
    func liveScan() async throws {
        try await withFolder { folder in
            let shell = try ShellFixture(in: folder)
            try await shell.wait(forLast: "virtual>")
            shell.terminal.type("scan\n")
            try await shell.terminal.wait(for: "Thermometer")
            shell.terminal.type("q")
            try await shell.wait(forLast: "virtual>")
            try await shell.quit()
            #expect(shell.terminal.shown.contains(FullScreen.end))
        }
    }

    @Test("A dumb terminal gets no control sequences", .timeLimit(.minutes(5)))
    func dumbTerminal() async throws {
        try await withFolder { folder in
            let shell = try ShellFixture(in: folder, term: "dumb")
            shell.terminal.type(line: "raed")
            try await shell.terminal.wait(for: "did you mean 'read'?")
            shell.terminal.type(line: "echo still here")
            try await shell.terminal.wait(for: "\nstill here\n")
            shell.terminal.type(line: "quit")
            #expect(try await shell.terminal.waitUntilEnd() == .exited(64))
            #expect(!shell.terminal.shown.contains("\u{1B}"))
        }
    }
}

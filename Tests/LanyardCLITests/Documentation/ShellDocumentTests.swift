// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProcessTestSupport
import Testing

@testable import LanyardCLI

/// The shell, compared with docs/SHELL.md.
@Suite("docs/SHELL.md", .serialized)
struct ShellDocumentTests {
    private let document: String

    init() throws {
        let path = DocumentedCommand.root("docs/SHELL.md")
        document = try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("The table has every command")
    func commands() {
        let text = document.replacing(#"\|"#, with: "|")
        for entry in ShellVocabulary.entries {
            #expect(text.contains("| `\(entry.usage)` |"), "\(entry.usage)")
        }
    }

    @Test("The bounds are those of the shell")
    func bounds() {
        #expect(ShellWords.lengthLimit == 4_096 && Script.lineLimit == 10_000)
        #expect(Script.lengthLimit == 1 << 20 && ScriptInterpreter.variableLimit == 256)
        #expect(ScriptInterpreter.valueLimit == 8_192 && LineHistory.lineLimit == 1_000)
        #expect(ShellSession.arrivedLimit == 256 && ShellSession.scanTime == .seconds(5))
        #expect(WaitCondition.defaultLimit == .seconds(10))
        for text in [
            "4,096 bytes", "10,000 lines", "1 MiB", "256 variables", "8,192 bytes", "1,000 lines",
        ] {
            #expect(document.contains(text), "\(text)")
        }
    }

    // MARK: The dialogue

    @Test("The dialogue in the document is what the shell prints", .timeLimit(.minutes(5)))
    func dialogue() async throws {
        let lines = Dialogue.lines(of: document)
        let words = try #require(lines.first?.split(separator: " ").dropFirst(2).map(String.init))
        let folder = NSTemporaryDirectory() + "lanyard-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let terminal = try TerminalSession(
            words,
            environment: [
                "XDG_STATE_HOME": folder, "TERM": "xterm", "LANYARD_TIMEOUT": "60",
                "LANYARD_ADAPTER": "",
            ]
        )
        let expected = Array(lines.dropFirst())
        var typed: [String] = []
        for (index, line) in expected.enumerated() {
            guard let (prompt, answer) = Dialogue.typed(line) else { continue }
            let values = expected[..<index].filter(Dialogue.isValue).count
            try await Dialogue.wait(on: terminal, for: prompt, after: typed.count, values: values)
            terminal.type(line: answer)
            typed.append(answer)
        }
        #expect(try await terminal.waitUntilEnd() == .exited(0))
        let shown = TerminalScreen.lines(of: terminal.shown).filter { !$0.isEmpty }
        #expect(Dialogue.comparable(shown) == Dialogue.comparable(expected))
        let history = try String(contentsOfFile: folder + "/lanyard/shell-history", encoding: .utf8)
        #expect(history.hasPrefix("scan 3 --name Thermometer\n") && history.hasSuffix("quit\n"))
    }
}

/// The dialogue of the document, and its comparison with a terminal.
private enum Dialogue {
    /// Returns the lines of the block.
    static func lines(of document: String) -> [String] {
        guard let start = document.range(of: "```console\n"),
            let end = document.range(of: "\n```", range: start.upperBound..<document.endIndex)
        else { return [] }
        return document[start.upperBound..<end.lowerBound].split(separator: "\n").map(String.init)
    }

    /// Returns the prompt and the typed text of a line; `nil` for a line that the shell prints.
    static func typed(_ line: String) -> (prompt: String, text: String)? {
        guard let match = line.firstMatch(of: #/^(virtual[^>]*> |Does .* \[y/N\] )(.*)$/#) else {
            return nil
        }
        return (String(match.1), String(match.2))
    }

    /// Returns whether the line is a subscribed value. The device may send more of them.
    static func isValue(_ line: String) -> Bool {
        line.contains(#/^\d\d:\d\d:\d\d\.\d{3}  /#)
    }

    /// Returns the lines without subscribed values, and without the parts that differ between runs.
    static func comparable(_ lines: [String]) -> [String] {
        lines.filter { !isValue($0) }.map(masked)
    }

    private static func masked(_ line: String) -> String {
        line.replacing(#/-\d\d dBm/#, with: "-NN dBm")
            .replacing(#/(shows?) \d{3} \d{3}/#) { "\($0.1) NNN NNN" }
            .replacing(#/^bond: [0-9A-F-]{36}$/#, with: "bond: UUID")
    }

    /// Waits until the last line is the prompt, after this many typed lines and values.
    static func wait(
        on terminal: TerminalSession,
        for prompt: String,
        after typed: Int,
        values: Int
    ) async throws {
        let wanted = masked(prompt).trimmingCharacters(in: .whitespaces)
        while true {
            let lines = TerminalScreen.lines(of: terminal.shown)
            let answers = lines.dropLast().filter { self.typed($0) != nil }.count
            let isPrompt = lines.last.map(masked) == wanted
            if isPrompt, answers >= typed, lines.filter(isValue).count >= values { return }
            try await terminal.waitForMore()
        }
    }
}

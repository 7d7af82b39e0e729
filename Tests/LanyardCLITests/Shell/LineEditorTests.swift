// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("The line editor") struct LineEditorTests {
    /// Types text, in which keys are written as `<left>`.
    private func type(_ text: String, into editor: inout LineEditor) -> [LineEditor.Effect] {
        var effects: [LineEditor.Effect] = []
        var rest = text[...]
        while let first = rest.first {
            if first == "<", let end = rest.firstIndex(of: ">") {
                let name = String(rest[rest.index(after: rest.startIndex)..<end])
                if let key = Self.keys[name] { effects.append(editor.receive(key)) }
                rest = rest[rest.index(after: end)...]
            } else {
                for scalar in String(first).unicodeScalars {
                    effects.append(editor.receive(.character(scalar)))
                }
                rest = rest.dropFirst()
            }
        }
        return effects
    }

    private static let keys: [String: TerminalKey] = [
        "left": .left, "right": .right, "home": .home, "end": .end, "bs": .backspace,
        "del": .delete,
        "up": .up, "down": .down, "enter": .enter, "wl": .wordLeft, "wr": .wordRight,
        "^K": .killToEnd,
        "^U": .killToStart, "^W": .killWord, "^Y": .yank, "^C": .interrupt, "^D": .endOfInput,
        "tab": .tab,
    ]

    @Test(
        "Keys edit the line",
        arguments: [
            ("abc", "abc|"), ("abc<left><left>x", "ax|bc"), ("abc<home>x", "x|abc"),
            ("abc<home><right>x<end>y", "axbcy|"), ("abc<bs>", "ab|"), ("<bs>", "|"),
            ("abc<left><bs>", "a|c"),
            ("abc<home><del>", "|bc"), ("abc<del>", "abc|"), ("abc<home><^D>", "|bc"),
            ("one two<^W>", "one |"), ("one two  <^W>", "one |"), ("one two<left><^K>", "one tw|"),
            ("one two<left><^U>", "|o"), ("one two<^W><home><^Y>", "two|one "),
            ("one two<wl>", "one |two"), ("one two<wl><wl>", "|one two"),
            ("one two<home><wr>", "one| two"),
            ("<left><right><home><end><wl><wr><^W><^K><^U><^Y><up><down>", "|"),
            ("e\u{301}<left>", "|e\u{301}"), ("👍a<left><bs>", "|a"), ("日本<left>", "日|本"),
        ]
    )
    func editing(typed: String, expected: String) {
        var editor = LineEditor()
        _ = type(typed, into: &editor)
        #expect(editor.before + "|" + editor.after == expected)
    }

    @Test("Arrow keys show earlier lines and return to the new one")
    func history() {
        var editor = LineEditor()
        #expect(type("one<enter>", into: &editor).last == .submit("one"))
        _ = type("two<enter>two  <enter> secret<enter><enter>", into: &editor)
        #expect(editor.history.lines == ["one", "two"])
        _ = type("thr<up>", into: &editor)
        #expect(editor.text == "two")
        _ = type("<up><up>", into: &editor)
        #expect(editor.text == "one")
        _ = type("<down><down>", into: &editor)
        #expect(editor.text == "thr")
        _ = type("<down>", into: &editor)
        #expect(editor.text == "thr")
        #expect(type("<up>!<enter>", into: &editor).last == .submit("two!"))
    }

    @Test("An answer to a question is not part of the history, and Tab does nothing")
    func answers() {
        var editor = LineEditor()
        editor.isCommandLine = false
        #expect(type("12<tab><up><enter>", into: &editor).last == .submit("12"))
        #expect(editor.history.lines.isEmpty)
    }

    @Test("Control keys act on the shell, and invisible characters have no effect")
    func effects() {
        var editor = LineEditor()
        #expect(type("<^D>", into: &editor) == [.endOfInput])
        #expect(type("a<^D>", into: &editor) == [.redraw, .redraw])
        #expect(type("<^C><tab>", into: &editor) == [.interrupt, .complete])
        #expect(editor.receive(.suspend) == .suspend)
        #expect(editor.receive(.clearScreen) == .clearScreen)
        #expect(editor.receive(.character("\u{1B}")) == .none)
        #expect(editor.receive(.character("\u{202E}")) == .none)
    }

    @Test("The length of a line is limited")
    func bound() {
        var editor = LineEditor()
        for _ in 0..<LineEditor.lengthLimit + 100 { _ = editor.receive(.character("é")) }
        #expect(editor.text.utf8.count <= LineEditor.lengthLimit)
        _ = editor.receive(.killToStart)
        _ = editor.receive(.yank)
        _ = editor.receive(.yank)
        #expect(editor.text.utf8.count <= LineEditor.lengthLimit)
    }

    @Test("The length of the history is limited, and invalid lines of its text are dropped")
    func historyBound() {
        var history = LineHistory()
        for number in 0..<LineHistory.lineLimit + 5 { history.add("line \(number)") }
        #expect(history.lines.count == LineHistory.lineLimit)
        #expect(history.lines.first == "line 5")
        #expect(LineHistory(parsing: history.text) == history)
        let hostile = "good\n\u{1B}[2J\n\n" + String(repeating: "x", count: 5_000) + "\nbetter"
        #expect(LineHistory(parsing: hostile).lines == ["good", "better"])
    }
}

@Suite("The keys of a terminal") struct KeyDecoderTests {
    @Test(
        "Bytes become keys, however they are split",
        arguments: [
            ("a", [.character("a")]), ("é日👍", [.character("é"), .character("日"), .character("👍")]),
            ("\r\n", [.enter, .enter]), ("\u{7F}\u{8}", [.backspace, .backspace]),
            ("\u{1}\u{5}\u{B}\u{15}\u{17}", [.home, .end, .killToEnd, .killToStart, .killWord]),
            ("\u{3}\u{4}\u{1A}\t", [.interrupt, .endOfInput, .suspend, .tab]),
            ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
            ("\u{1B}OA\u{1B}OH\u{1B}[F", [.up, .home, .end]),
            ("\u{1B}[1~\u{1B}[4~\u{1B}[3~", [.home, .end, .delete]),
            ("\u{1B}[1;5C\u{1B}b", [.wordRight, .wordLeft]),
            // Unknown keys and control characters are dropped as a whole.
            ("\u{1B}[15~x", [.character("x")]), ("\u{1B}[200~y\u{1B}[201~", [.character("y")]),
            ("\u{0}\u{1F}z", [.character("z")]),
        ] as [(String, [TerminalKey])]
    )
    func keys(text: String, expected: [TerminalKey]) {
        var decoder = KeyDecoder()
        #expect(decoder.receive(Array(text.utf8)) == expected)
        var slow = KeyDecoder()
        #expect(text.utf8.flatMap { slow.receive([$0]) } == expected)
    }

    @Test("After random bytes, the next key is decoded", arguments: RunSeed.seeds(10))
    func anyBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var decoder = KeyDecoder()
        for _ in 0..<5_000 {
            let sample: [UInt8] = [
                0x1B, 0x5B, 0x4F, 0x31, 0x3B, 0xC3, 0xE2, 0xF0, 0xFF, 0x80, 0x41,
            ]
            let byte =
                Bool.random(using: &generator)
                ? sample[Int.random(in: sample.indices, using: &generator)]
                : UInt8.random(in: 0...255, using: &generator)
            _ = decoder.receive([byte])
        }
        // An unfinished escape sequence ends after a limited number of bytes.
        _ = decoder.receive([UInt8](repeating: 0x20, count: KeyDecoder.sequenceLimit + 4))
        #expect(decoder.receive([0x61]) == [.character("a")])
    }
}

@Suite("The row of the edited line") struct LineDisplayTests {
    private func row(_ prompt: LinePrompt, _ before: String, _ after: String, columns: Int)
        -> String
    {
        let display = LineDisplay(columns: columns)
        return TerminalScreen.lines(of: display.draw(prompt: prompt, before: before, after: after))
            .joined(separator: "\n")
    }

    @Test(
        "A short line is shown whole with its prompt, and of a long line the part around the cursor"
    )
    func rows() {
        #expect(row("> ", "abc", "def", columns: 20) == "> abcdef")
        #expect(row("> ", "abcdefghij", "klmnop", columns: 10) == "> …efghij")
        #expect(row("> ", "", "abcdefghij", columns: 10) == "> abcdef…")
        #expect(row("a long prompt> ", "x", "", columns: 12) == "…mpt> x")
        #expect(row("a long prompt> ", "x", "", columns: 80) == "a long prompt> x")
        #expect(row("> ", "", "", columns: 1) == "…")
    }

    @Test("On a narrow terminal, the prompt of the shell omits the adapter, and then the security")
    func shortPrompt() {
        var status = ShellSession.Status(adapter: "tcp:127.0.0.1:6402")
        func prompt(_ columns: Int) -> String { row(status.prompt, "", "", columns: columns) }
        #expect(prompt(80) == "tcp:127.0.0.1:6402>" && prompt(40) == "tcp:127.0.0.1:6402>")
        #expect(prompt(30) == ">")
        status.device = "Front Door"
        status.security = LinkSecurity(isEncrypted: true, isAuthenticated: true)
        #expect(prompt(80) == "tcp:127.0.0.1:6402 Front Door [authenticated]>")
        #expect(prompt(52) == "Front Door [authenticated]>" && prompt(40) == "Front Door>")
    }

    @Test("On a narrow terminal, the end of a question with its digits is shown")
    func question() {
        let question = LinePrompt(question: "Does C4:F0:00:00:00:01/random show 123 456? [y/N] ")
        let row = row(question, "y", "", columns: 40)
        #expect(row.hasPrefix("…") && row.hasSuffix("show 123 456? [y/N] y"))
    }

    @Test("No row is wider than a terminal of at least two columns", arguments: 1...40)
    func widths(columns: Int) {
        for text in [
            "", "abc", String(repeating: "日本", count: 40), String(repeating: "é", count: 90),
        ] {
            for cut in [0, text.count / 2, text.count] {
                let row = row(
                    "prompt> ",
                    String(text.prefix(cut)),
                    String(text.dropFirst(cut)),
                    columns: columns
                )
                #expect(TerminalColumns.count(row) <= max(2, columns))
            }
        }
    }
}

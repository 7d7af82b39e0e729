// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LanyardCLI

@Suite("Commands typed while serving")
struct TypedCommandTests {
    @Test("Values are set and sent as hexadecimal digits, text and JSON")
    func values() throws {
        let level = try CharacteristicReference("2A19")
        #expect(try TypedCommand("set 2A19 5d") == .set(level, [0x5D]))
        #expect(try TypedCommand("SET battery-level 01 02") == .set(level, [1, 2]))
        #expect(try TypedCommand(#"set 2A19 "a b""#) == .set(level, Array("a b".utf8)))
        #expect(try TypedCommand(#"set 2A19 {"uint16": 300}"#) == .set(level, [0x2C, 0x01]))
        #expect(try TypedCommand(#"set 2A19 ["01", {"text": "x"}]"#) == .set(level, [1, 0x78]))
        #expect(try TypedCommand("notify #18") == .notify(CharacteristicReference("#18"), nil))
        #expect(try TypedCommand("  notify 2A19 07") == .notify(level, [7]))
        #expect(try TypedCommand("set  2A19  text:a  b ") == .set(level, Array("a  b ".utf8)))
        #expect(try TypedCommand("set\t2A19\t5d") == .set(level, [0x5D]))
        #expect(try TypedCommand("notify 2A19  ") == .notify(level, nil))
    }

    @Test(
        "Commands without arguments are one word",
        arguments: [
            ("authorize", .authorize(true)), ("deny", .authorize(false)), ("help", .help),
            ("pair", .pair), ("values", .values), ("links", .links),
            (" Quit ", .quit),
        ] as [(String, TypedCommand)]
    )
    func words(line: String, command: TypedCommand) throws {
        #expect(try TypedCommand(line) == command)
        #expect(TypedCommand.explanation.contains(line.trimmingPrefix(" ").lowercased().prefix(4)))
    }

    @Test(
        "A line with a wrong name or wrong arguments is refused with the right name or form",
        arguments: [
            ("set 2A19", "'set 2A19' has missing or extra arguments; use set CHARACTERISTIC VALUE"),
            ("links 1", "'links 1' has missing or extra arguments; use links"),
            ("notfy 2A19", "'notfy 2A19' is not a command; did you mean 'notify'?"),
        ]
    )
    func forms(line: String, message: String) throws {
        let failure = try #require(throws: ProgramFailure.self) { try TypedCommand(line) }
        #expect(failure.line == "lanyard: " + message)
    }

    @Test(
        "An invalid line is refused with advice",
        arguments: [
            "bogus", "set", "set 2A19", "set nothing 00", "set 2A19 0", "set 2A19 \"x",
            #"set 2A19 {"uint8": 300}"#, #"set 2A19 {"uint8": {"counter": 1}}"#, "notify",
            "help me",
            "quit now", "\u{1B}[2J", "set 2A19 " + String(repeating: "00", count: 513),
            "set 2A19 \"" + String(repeating: "x", count: 513) + "\"",
        ]
    )
    func refusals(line: String) throws {
        let failure = try #require(throws: ProgramFailure.self) { try TypedCommand(line) }
        #expect(failure.status == .usage && !failure.advice.isEmpty)
        #expect(!failure.line.contains("\u{1B}") && failure.line.utf8.count < 300)
    }
}

@Suite("Standard input")
struct LineSplitterTests {
    @Test("Bytes in pieces of any length are split into lines", arguments: [1, 2, 3, 100])
    func lines(size: Int) {
        var splitter = LineSplitter(lengthLimit: 100)
        let bytes = Array("one\ntwo\r\n\nlast".utf8)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += splitter.receive(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(lines == ["one", "two", ""])
        #expect(splitter.end() == "last" && splitter.end() == nil)
    }

    @Test("A line is cut at its limit")
    func limit() {
        var splitter = LineSplitter(lengthLimit: 3)
        #expect(splitter.receive(Array("abcdef\nx\n".utf8)) == ["abc", "x"])
    }
}

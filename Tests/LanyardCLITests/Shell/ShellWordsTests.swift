// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("The words of a line of the shell") struct ShellWordsTests {
    private let values = ["name": "Battery Lamp", "level": "5d", "_2": "x"]

    @Test(
        "A line is split into words",
        arguments: [
            ("", []), ("   ", []), ("read 2A19", ["read", "2A19"]),
            ("  read\t2A19  ", ["read", "2A19"]),
            (#"connect "Battery Lamp""#, ["connect", "Battery Lamp"]),
            ("connect 'Battery Lamp'", ["connect", "Battery Lamp"]),
            (#"connect Battery\ Lamp"#, ["connect", "Battery Lamp"]),
            (#"echo a"b c"d"#, ["echo", "ab cd"]), (#"echo """#, ["echo", ""]),
            (#"echo "\"\\\$\n""#, ["echo", #""\$\n"#]),
            (#"echo '\"$name'"#, ["echo", #"\"$name"#]),
            ("# a comment", []), ("#comment", []), ("read 2A19 # a comment", ["read", "2A19"]),
            ("read #12", ["read", "#12"]), ("read #12 #", ["read", "#12"]),
            ("connect $name", ["connect", "Battery Lamp"]),
            ("write 1 ${level}00", ["write", "1", "5d00"]),
            (#"echo "<$name>""#, ["echo", "<Battery Lamp>"]), ("echo $$level", ["echo", "$level"]),
            (#"expect matches "^\d+$""#, ["expect", "matches", #"^\d+$"#]),
            ("echo $_2 $", ["echo", "x", "$"]),
            (
                #"write 2A6E {"sint16": 21.5, "exponent": -2} --x"#,
                ["write", "2A6E", #"{"sint16": 21.5, "exponent": -2}"#, "--x"]
            ),
            (#"write 1 [{"text": "a]\"}"}]"#, ["write", "1", #"[{"text": "a]\"}"}]"#]),
            (#"write 1 {"uint8": $_2}"#, ["write", "1", #"{"uint8": x}"#]),
        ]
    )
    func words(line: String, expected: [String]) throws {
        #expect(try ShellWords(line).expanded(values) == expected)
    }

    @Test(
        "A line with an open quotation, a wrong variable or too many words is refused",
        arguments: [
            #"echo "a"#, "echo 'a", #"echo a\"#, "echo {", #"echo {"a"#, "echo ${name", "echo ${}",
            "echo ${a b}", "echo $unknown", "echo " + String(repeating: "a", count: 4_096),
            String(repeating: "a ", count: 1_025), "echo $" + String(repeating: "a", count: 65),
        ]
    )
    func refusals(line: String) {
        #expect(throws: ProgramFailure.self) { try ShellWords(line).expanded(values) }
    }

    @Test("The nearest variable is suggested")
    func suggestion() {
        let failure = #expect(throws: ProgramFailure.self) {
            try ShellWords("echo $levle").expanded(values)
        }
        #expect(failure?.advice == "did you mean 'level'?")
    }

    @Test("Any text is split or refused", arguments: RunSeed.seeds(20))
    func anyText(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let parts = [
            "\"", "'", "\\", "$", "${", "}", "{", "[", "]", "#", " ", "\t", "a", "é", "\u{1B}",
            "expect",
            "wait", "between", "set", "write", "2A19", "fails", "notification", "$value", "\u{0}",
            "👩‍👩‍👧", "1e999",
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0...30, using: &generator)
            let line = (0..<count).map { _ in
                parts[Int.random(in: parts.indices, using: &generator)]
            }.joined(separator: Bool.random(using: &generator) ? " " : "")
            guard let words = try? ShellWords(line).expanded(["value": "01"]), !words.isEmpty else {
                continue
            }
            #expect(words.count <= ShellWords.wordLimit)
            _ = try? ShellStatement(words)
            _ = ShellCompletion(devices: ["Lamp"]).complete(line)
        }
    }
}

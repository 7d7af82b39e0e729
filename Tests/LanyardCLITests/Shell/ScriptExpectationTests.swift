// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LanyardCLI

@Suite("Expectations") struct ScriptExpectationTests {
    private static let level = ScriptSubject(text: "57  87 %", bytes: [0x57], meaning: "87 %")
    private static let rssi = ScriptSubject(text: "-54 dBm")
    private static let unknown = ScriptSubject(text: "fe01", bytes: [0xFE, 0x01])

    private func comparison(
        _ words: String,
        _ subject: ScriptSubject
    ) throws -> ScriptExpectation.Comparison {
        let words = try ShellWords(words).expanded([:])
        return try ScriptExpectation(words[...]).comparison(with: subject)
    }

    @Test(
        "An expectation that holds is met, and its negation is unmet",
        arguments: [
            ("equals 57", level), ("equals uint8:87", level), ("contains 87", level),
            ("contains \" %\"", level), ("matches \"^57 +[0-9]+ %$\"", level),
            ("matches 8.", level), ("between 80 90", level), ("between 87 and 87", level),
            ("uint8 between 87 87", level), ("sint16 between 510 510", unknown),
            ("equals fe 01", unknown), ("equals \"-54 dBm\"", rssi), ("between -60 -50", rssi),
        ]
    )
    func met(words: String, subject: ScriptSubject) throws {
        #expect(try comparison(words, subject).isMet)
        #expect(try !comparison("not \(words)", subject).isMet)
    }

    @Test(
        "An unmet expectation names the expected and the actual result",
        arguments: [
            ("equals 01", level, "the value 01", "57"),
            ("contains x", level, "a text with \"x\"", "\"57  87 %\""),
            ("matches ^x", rssi, "a text that matches \"^x\"", "\"-54 dBm\""),
            ("between 1 2", level, "a number from 1 to 2", "87"),
            ("uint16 between 0 1", unknown, "a number from 0 to 1 as uint16", "510"),
            ("not between 80 90.5", level, "not a number from 80 to 90.5", "87"),
        ]
    )
    func unmet(words: String, subject: ScriptSubject, expected: String, actual: String) throws {
        let result = try comparison(words, subject)
        #expect(result == .init(isMet: false, expected: expected, actual: actual))
        #expect(result.failure.status == .unmet)
        #expect(result.failure.happened == "expected \(expected), but the result is \(actual)")
    }

    @Test(
        "Results that cannot be compared are failures",
        arguments: [
            ("between 1 2", unknown), ("uint8 between 1 2", unknown), ("uint8 between 1 2", rssi),
            ("medfloat16 between 1 2", ScriptSubject(text: "ff07", bytes: [0xFF, 0x07])),
            ("between 1 2", ScriptSubject(text: "no number")), ("equals text", level),
        ]
    )
    func incomparable(words: String, subject: ScriptSubject) {
        #expect(throws: ProgramFailure.self) { try comparison(words, subject) }
    }

    @Test(
        "The first number of a text is found, in decimal form",
        arguments: [
            ("21.50 °C", 21.5), ("-3 dBm", -3), ("interval 30 ms", 30), ("1.", 1), (".5", 5),
            ("none", nil), ("", nil), ("a-1b", -1), ("1.2.3", 1.2),
            (String(repeating: "9", count: 400), .infinity),
        ] as [(String, Double?)]
    )
    func numbers(text: String, number: Double?) {
        #expect(ScriptSubject.firstNumber(in: text) == number)
    }

    @Test("A format reads the number that it writes", arguments: NumberFormat.allCases)
    func formats(format: NumberFormat) {
        let medical = format == .medfloat16 || format == .medfloat32
        let numbers =
            medical ? [-36.6, 0, 36.6] : format.rawValue.hasPrefix("u") ? [0, 200] : [-100, 100]
        for number in numbers {
            let bytes = format.encode(number, exponent: medical ? -1 : 0)
            let again = format.decode(bytes)
            #expect(again.map { abs($0 - number) < 1e-9 } == true, "\(format) \(number)")
            #expect(format.decode(bytes + [0]) == nil)
        }
    }

    @Test("A long result is cut in a message")
    func longResult() throws {
        let subject = ScriptSubject(text: String(repeating: "a", count: 10_000))
        let actual = try comparison("contains b", subject).actual
        #expect(actual.count < 210 && actual.hasSuffix("…\""))
    }
}

// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import JSONText

@Suite("JSON reading")
struct JSONReadingTests {
    @Test(
        "Text is parsed as RFC 8259 specifies",
        arguments: [
            ("null", .null), (" true\n", .bool(true)), ("false", .bool(false)),
            ("0", .integer(0)), ("-0.5e+2", .number(-50)), ("12E-1", .number(1.2)),
            (#""""#, .string("")), (#""a\"\\\/\b\f\n\r\tz""#, .string("a\"\\/\u{8}\u{C}\n\r\tz")),
            (#""\u00e9\uD83D\uDE00""#, .string("é😀")), ("[]", .array([])),
            ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([])),
            (
                #"{"b": 1, "a": null}"#,
                .object([.init("b", .integer(1)), .init("a", .null)])
            ),
        ] as [(String, JSON)]
    )
    func values(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(
        "Invalid JSON, repeated keys, deep nesting and numbers that are too large are refused",
        arguments: [
            "", " ", "nul", "truer", "01", "1.", ".5", "-", "+1", "1e", "NaN", "Infinity", "1e999",
            "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\n\"", "[",
            "[1",
            "[1,]", "[,]", "{", "{1: 2}", "{\"a\" 1}", "{\"a\": 1,}", "{\"a\": 1, \"a\": 2}", "1 2",
            "// no", "'a'", String(repeating: "[", count: 100),
        ]
    )
    func refused(text: String) {
        #expect(throws: JSONTextError.self) { try JSON(parsing: text) }
    }

    @Test("Text that ends early is refused at every position")
    func truncation() throws {
        let text = #"{"a": [1, true, "x\u0041"], "b": {"c": null}}"#
        _ = try JSON(parsing: text)
        for length in 0..<text.count {
            #expect(throws: JSONTextError.self) {
                try JSON(parsing: String(text.prefix(length)))
            }
        }
    }

    @Test("Random text never traps", arguments: RunSeed.seeds(1))
    func random(seed: UInt64) {
        let signs = Array("{}[]\",:\\u0123456789eE+-.truefalsn \n")
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...24, using: &generator)
            let text = String(
                (0..<length).compactMap { _ in signs.randomElement(using: &generator) }
            )
            _ = try? JSON(parsing: text)
        }
    }
}

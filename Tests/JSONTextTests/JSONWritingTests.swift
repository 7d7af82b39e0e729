// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import JSONText

@Suite("JSON writing") struct JSONWritingTests {
    private let value = JSON.object([
        .init("zulu", .integer(-1)),
        .init("alpha", .array([.null, .bool(true), .string("x")])),
        .init("none", .array([])),
        .init("empty", .object([])),
    ])

    @Test("Compact output is one line, and keys keep their order")
    func writesCompactly() {
        let text = #"{"zulu":-1,"alpha":[null,true,"x"],"none":[],"empty":{}}"#
        #expect(value.compact == text)
    }

    @Test("Indented output has a line for each element, and an empty container takes one line")
    func writesIndented() {
        let text = """
            {
              "zulu": -1,
              "alpha": [
                null,
                true,
                "x"
              ],
              "none": [],
              "empty": {}
            }
            """
        #expect(value.indented == text)
    }

    @Test(
        "Quotes, backslashes and characters that control a terminal are escaped",
        arguments: [
            ("a\"b\\c", #""a\"b\\c""#),
            ("\n\r\t", #""\n\r\t""#),
            ("\u{0}\u{1B}", #""\u0000\u001b""#),
            ("\u{7F}\u{9B}", #""\u007f\u009b""#),
            ("\u{202E}", #""\u202e""#),
            ("\u{E0001}", #""\udb40\udc01""#),
            ("é世🎧/", "\"é世🎧/\""),
        ]
    )
    func escapesStrings(text: String, expected: String) {
        #expect(JSON.string(text).compact == expected)
    }

    @Test("A missing value is null, and bytes are hexadecimal digits")
    func absentIsNull() {
        #expect(JSON.string(orNull: nil).compact == "null")
        #expect(JSON.integer(orNull: nil).compact == "null")
        #expect(JSON.integer(orNull: 3).compact == "3")
        #expect(JSON.bytes([0x0A, 0xFF]).compact == "\"0aff\"")
    }
}

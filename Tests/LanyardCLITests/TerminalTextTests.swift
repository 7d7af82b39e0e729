// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("Text from other devices") struct TerminalTextTests {
    @Test(
        "Control characters become visible",
        arguments: [
            ("plain name", "plain name"),
            ("\u{1B}[2J\u{1B}]0;owned\u{07}", "\\u{1B}[2J\\u{1B}]0;owned\\u{7}"),
            ("a\r\nb\tc\u{8}", "a\\u{D}\\u{A}b\\u{9}c\\u{8}"),
            ("\u{0}", "\\u{0}"),
            ("\u{7F}\u{9B}31m", "\\u{7F}\\u{9B}31m"),
            ("safe\u{202E}gnp.exe", "safe\\u{202E}gnp.exe"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
            ("zero\u{200B}width\u{FEFF}", "zero\\u{200B}width\\u{FEFF}"),
            ("line\u{2028}end\u{2029}", "line\\u{2028}end\\u{2029}"),
            ("private \u{E000}", "private \\u{E000}"),
            ("back\\slash", "back\\\\slash"),
            ("Grüße, 世界 🎧", "Grüße, 世界 🎧"),
            ("", ""),
        ]
    )
    func escapesText(text: String, expected: String) {
        #expect(TerminalText.escape(text) == expected)
    }

    @Test(
        "Bytes that are not UTF-8 become visible, and the text around them stays",
        arguments: [
            ([0x4C, 0xFF, 0x61], "L\\xFFa"),
            ([0xC3, 0xA9], "é"),
            ([0xC3], "\\xC3"),
            ([0xE2, 0x82], "\\xE2\\x82"),
            ([0xE2, 0x82, 0x41], "\\xE2\\x82A"),
            ([0xC0, 0x80], "\\xC0\\x80"),
            ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
            ([0xF5, 0x80, 0x80, 0x80], "\\xF5\\x80\\x80\\x80"),
            ([0x1B, 0x5B, 0x6D], "\\u{1B}[m"),
            ([], ""),
        ] as [([UInt8], String)]
    )
    func escapesBytes(bytes: [UInt8], expected: String) {
        #expect(TerminalText.escape(utf8: bytes) == expected)
    }

    @Test("A name that looks like an escape differs from the escape")
    func escapingIsInjective() {
        #expect(TerminalText.escape("\\u{1B}") != TerminalText.escape("\u{1B}"))
        #expect(TerminalText.escape("\\xFF") != TerminalText.escape(utf8: [0xFF]))
    }

    @Test(
        "Random bytes print without invisible characters",
        arguments: RunSeed.seeds(1)
    )
    func randomBytesAreSafe(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let bytes = generator.bytes(upTo: 40)
            let text = TerminalText.escape(utf8: bytes)
            #expect(text.unicodeScalars.allSatisfy { $0.isPrintable })
        }
    }
}

@Suite("Terminal columns") struct TerminalColumnsTests {
    @Test(
        "Widths are those of terminals",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("世界", 4), ("ｱ", 1), ("Ａ", 2),
            ("🎧", 2), ("▂▄▆█", 4), ("한글", 4),
        ]
    )
    func counts(text: String, columns: Int) {
        #expect(TerminalColumns.count(text) == columns)
    }

    @Test(
        "Text that is too long is cut with an ellipsis, without splitting a wide character",
        arguments: [
            ("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("世界世界", 4, "世…"), ("世界", 4, "世界"),
            ("abc", 1, "…"), ("abc", 0, ""), ("", 3, ""),
        ]
    )
    func truncates(text: String, columns: Int, expected: String) {
        #expect(TerminalColumns.truncate(text, to: columns) == expected)
    }

    @Test("A fitted text takes exactly its columns", arguments: ["", "ab", "abcdefgh", "世界世界世"])
    func fits(text: String) {
        #expect(TerminalColumns.count(TerminalColumns.fit(text, to: 6)) == 6)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@Suite("Texts from bytes")
struct TextTests {
    @Test("Valid UTF-8 becomes a text, even with a zero or a byte order mark")
    func valid() {
        for text in ["", "Lampe", "Lämpchen 💡", "\u{FFFD}", "a\u{0}b", "\u{FEFF}a"] {
            #expect(String(utf8: Array(text.utf8)) == text)
        }
    }

    @Test(
        "Invalid UTF-8 is refused",
        arguments: [
            [0xFF], [0x41, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0x80], [0xE2, 0x82],
        ] as [[UInt8]]
    )
    func invalid(bytes: [UInt8]) {
        #expect(String(utf8: bytes) == nil)
    }

    @Test("For random bytes, the result agrees with Swift's own check")
    func random() {
        var generator = SplitMix64(seed: 7)
        for length in 0..<64 {
            for _ in 0..<200 {
                let bytes = (0..<length % 6).map { _ in UInt8.random(in: 0...255, using: &generator)
                }
                #expect(String(utf8: bytes) == String(validating: bytes, as: UTF8.self))
            }
        }
    }
}

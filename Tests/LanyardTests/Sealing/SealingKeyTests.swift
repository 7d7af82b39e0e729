// SPDX-License-Identifier: Apache-2.0

import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite struct SealingKeyTests {
    @Test("Keys have 16, 24 or 32 bytes, and other lengths are refused", arguments: 0...70)
    func checksLengths(count: Int) throws {
        if let size = SealingKey.Size(rawValue: count * 8) {
            let key = try SealingKey(Data(count: count))
            #expect(key.size == size)
            #expect(key.bytes == Data(count: count))
        } else {
            #expect(throws: SealingError.keyLength(count)) { try SealingKey(Data(count: count)) }
        }
    }

    @Test("Random keys have the requested size and differ")
    func makesRandomKeys() {
        for size in SealingKey.Size.allCases {
            let keys = (0..<100).map { _ in SealingKey(random: size).bytes }
            #expect(Set(keys).count == 100)
            #expect(keys.allSatisfy { $0.count == size.bytes })
        }
        #expect(SealingKey(random: .bits256).size == .bits256)
        #expect(SealingKey(random: .bits128) != SealingKey(random: .bits128))
    }

    @Test("A printed key shows only its size")
    func printsNoSecret() throws {
        let key = try SealingKey(Data(repeating: 0x5A, count: 16))
        var dumped = ""
        dump(key, to: &dumped)
        var sealing = ""
        dump(GCMSealing(key: key), to: &sealing)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(text.contains("key of 128 bits"))
            #expect(!text.contains("5a") && !text.contains("90") && !text.contains("Z"))
        }
        #expect(sealing.contains("key of 128 bits"))
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test(
        "PBKDF2 with HMAC-SHA-256 gives the reference value for composed and decomposed characters"
    )
    func derivesFromPassphrases() throws {
        let salt = Data("NaClNaClNaClNaCl".utf8)
        let expected = Data(
            hex: "b3ac2c16b54641465552f4ea7b229c29ec5f8fa7d81eb137e28c4504e4ed7b3c"
        )
        for passphrase in ["p\u{E4}ssword", "pa\u{308}ssword"] {
            let key = try SealingKey(passphrase: passphrase, salt: salt, rounds: 210_000)
            #expect(key.bytes == expected)
        }
        let short = try SealingKey(
            passphrase: "p\u{E4}ssword",
            salt: salt,
            rounds: 210_000,
            size: .bits128
        )
        #expect(short.bytes == expected.prefix(16))
    }

    @Test(
        "Inputs for a weak key are refused",
        arguments: [
            ("", 16, 600_000), ("word", 15, 600_000), ("word", 0, 600_000), ("word", 16, 209_999),
            ("word", 16, 0), ("word", 16, -1), ("word", 16, Int(Int32.max) + 1),
        ]
    )
    func refusesWeakDerivations(passphrase: String, saltLength: Int, rounds: Int) {
        #expect(throws: SealingError.weakDerivation) {
            try SealingKey(passphrase: passphrase, salt: Data(count: saltLength), rounds: rounds)
        }
    }

    @Test("Keys for different purposes differ, and the same purpose gives the same key")
    func derivesForPurposes() {
        let key = SealingKey(random: .bits128)
        let one = key.derived(for: "one")
        #expect(one == key.derived(for: "one"))
        #expect(one != key)
        #expect(one != key.derived(for: "two"))
        #expect(one != key.derived(for: "one", salt: Data([1])))
        #expect(one.size == .bits128)
        #expect(key.derived(for: "one", size: .bits256).size == .bits256)
    }
}

@Suite struct RandomBytesTests {
    @Test(
        "The requested number of bytes is returned, and 16 or more bytes differ each time",
        arguments: [0, 1, 7, 16, 1_000]
    )
    func countsThem(count: Int) throws {
        let one = try RandomBytes.data(count: count)
        #expect(one.count == count)
        if count >= 16 { #expect(try RandomBytes.data(count: count) != one) }
    }

    @Test("A negative number and a number beyond the limit are refused")
    func refusesInvalidInput() throws {
        for count in [-1, Int.min, RandomBytes.maximumCount + 1, Int.max] {
            #expect(throws: SealingError.randomCount(count)) { try RandomBytes.data(count: count) }
        }
        #expect(try RandomBytes.data(count: RandomBytes.maximumCount).count == 1 << 20)
    }

    @Test("All byte values occur, about equally often")
    func areSpread() throws {
        var counts = [Int](repeating: 0, count: 256)
        for byte in try RandomBytes.data(count: 256 * 1_000) { counts[Int(byte)] += 1 }
        // The standard deviation for an expectation of 1000 is 32. A deviation of ten times as much
        // practically never occurs.
        #expect(counts.allSatisfy { (680...1_320).contains($0) })
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

@Suite("Values of 128 bits")
struct ValueTests {
    /// The example of Vol 3, Part H, 2.3.5.3: 019655 is 0x4CC7.
    @Test("A passkey occupies the least significant bytes")
    func passkey() throws {
        #expect(try SMP.Value128(passkey: 19_655) == value("00000000000000000000000000004cc7"))
        #expect(try HCI.Key128(passkey: 999_999) == key("000000000000000000000000000f423f"))
        #expect(SMP.Value128(passkey: 0) == SMP.Value128())
    }

    @Test("Random values use every byte and differ")
    func random() {
        var generator = SplitMix64(seed: 4)
        let values = (0..<64).map { _ in SMP.Value128(using: &generator) }
        #expect(Set(values).count == values.count)
        for place in 0..<16 { #expect(Set(values.map { $0.bytes[place] }).count > 16) }
    }

    @Test("Values match only if no bit differs")
    func matches() throws {
        let one = PDUVector.value
        #expect(one.matches(one))
        for bit in 0..<128 {
            var bytes = one.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let other = try #require(SMP.Value128(bytes))
            #expect(!one.matches(other), "bit \(bit)")
        }
    }

    /// The example of Vol 3, Part H, 2.3.4: 7 of 16 bytes remain.
    @Test("A key is shortened by clearing its most significant bytes")
    func shortened() throws {
        let whole = try key("123456789abcdef0123456789abcdef0")
        #expect(try whole.shortened(to: 7) == key("0000000000000000003456789abcdef0"))
        #expect(whole.shortened(to: 16) == whole)
        #expect(try whole.shortened(to: 15) == key("003456789abcdef0123456789abcdef0"))
    }

    @Test("An impossible length does not trap", arguments: [-1, 0, 17, 1_000])
    func shortenedOddly(bytes: Int) throws {
        let whole = try key("123456789abcdef0123456789abcdef0")
        let expected = bytes > 0 ? whole : try key("00000000000000000000000000000000")
        #expect(whole.shortened(to: bytes) == expected)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTestSupport
import Testing

@Suite("Byte stuffing")
struct COBSFramingTests {
    /// The well-known examples of Consistent Overhead Byte Stuffing, without the delimiter.
    private static let vectors: [(plain: Data, stuffed: Data)] = [
        (Data(), Data(hex: "01")),
        (Data(hex: "00"), Data(hex: "0101")),
        (Data(hex: "0000"), Data(hex: "010101")),
        (Data(hex: "001100"), Data(hex: "01021101")),
        (Data(hex: "11220033"), Data(hex: "0311220233")),
        (Data(hex: "11223344"), Data(hex: "0511223344")),
        (Data(hex: "11000000"), Data(hex: "0211010101")),
        (Data(1...0xFE), Data([0xFF]) + Data(1...0xFE)),
        (Data(0...0xFE), Data([0x01, 0xFF]) + Data(1...0xFE)),
        (Data(1...0xFF), Data([0xFF]) + Data(1...0xFE) + Data([0x02, 0xFF])),
        (Data(2...0xFF) + Data([0]), Data([0xFF]) + Data(2...0xFF) + Data([0x01, 0x01])),
        (Data(3...0xFF) + Data([0, 1]), Data([0xFE]) + Data(3...0xFF) + Data([0x02, 0x01])),
    ]

    @Test("The well-known examples encode and decode", arguments: vectors)
    func examples(plain: Data, stuffed: Data) throws {
        let framing = COBSFraming()
        #expect(try framing.frame(plain) == stuffed + Data([0]))
        #expect(events(of: framing, in: stuffed + Data([0])) == [.message(plain)])
    }

    @Test(
        "Messages around the block length survive a round trip",
        arguments: [0, 1, 253, 254, 255, 507, 508, 509, 1_016]
    )
    func lengths(count: Int) throws {
        for zeroAt in [nil, 0, count / 2, count - 1] as [Int?] {
            var message = Data(repeating: 0x55, count: count)
            if let zeroAt, message.indices.contains(zeroAt) { message[zeroAt] = 0 }
            let frame = try COBSFraming().frame(message)
            #expect(frame.dropLast().allSatisfy { $0 != 0 })
            #expect(frame.count <= count + count / 254 + 2)
            #expect(events(of: .cobs(), in: frame) == [.message(message)])
        }
    }

    @Test("Consecutive delimiters contain no message")
    func delimiters() {
        let found = events(of: .cobs(), in: Data(hex: "0000 0261 00 00"))
        #expect(found == [.message(Data("a".utf8))])
    }

    @Test("An incomplete block is reported as broken, and the next message is found")
    func truncated() {
        let found = events(of: .cobs(), in: Data(hex: "056161 00 0262 00"))
        #expect(found == [.broken(count: 3), .message(Data("b".utf8))])
    }

    @Test("A message that exceeds the limit only when unstuffed is too long")
    func oversizeUnstuffed() throws {
        // 255 bytes without a zero have the same stuffed length as 256 bytes with one.
        let framing = COBSFraming(limit: 255)
        var message = Data(repeating: 7, count: 256)
        message[100] = 0
        let tooLong = try COBSFraming().frame(message)
        #expect(tooLong.count == (try framing.frame(Data(repeating: 7, count: 255))).count)
        #expect(events(of: framing, in: tooLong) == [.oversize(limit: 255)])
        let longest = Data(repeating: 7, count: 255)
        #expect(events(of: framing, in: try framing.frame(longest)) == [.message(longest)])
    }
}

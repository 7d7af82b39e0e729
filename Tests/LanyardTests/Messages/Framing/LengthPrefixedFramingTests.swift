// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTestSupport
import Testing

@Suite("Length before message")
struct LengthPrefixedFramingTests {
    typealias Width = LengthPrefixedFraming.Width
    typealias Order = LengthPrefixedFraming.ByteOrder

    @Test(
        "The frame begins with the length",
        arguments: [
            (Width.twoBytes, Order.bigEndian, "0102"),
            (.twoBytes, .littleEndian, "0201"),
            (.fourBytes, .bigEndian, "00000102"),
            (.fourBytes, .littleEndian, "02010000"),
        ]
    )
    func vectors(_ width: Width, _ order: Order, prefix: String) throws {
        let message = Data((0..<0x102).map { UInt8(truncatingIfNeeded: $0) })
        let framing = LengthPrefixedFraming(width, order)
        let frame = try framing.frame(message)
        #expect(frame == Data(hex: prefix) + message)
        #expect(events(of: framing, in: frame) == [.message(message)])
        #expect(framing.carriesAnyByte)
    }

    @Test("A length of two bytes limits messages to 65,535 bytes", arguments: Order.allCases)
    func twoByteLimit(_ order: Order) throws {
        let framing = LengthPrefixedFraming(.twoBytes, order, limit: 1_000_000)
        #expect(framing.limit == 65_535)
        let longest = Data(repeating: 0, count: 65_535)
        #expect(events(of: framing, in: try framing.frame(longest)) == [.message(longest)])
    }

    @Test("A length of 4 GiB is reported once, and the bytes after it are skipped")
    func hugeAnnouncement() {
        let chunks = Data(repeating: 0xFF, count: 100_000)
        #expect(events(of: .lengthPrefixed(), in: chunks, chunks) == [.oversize(limit: 65_536)])
    }

    @Test("A negative limit counts as zero")
    func negativeLimit() {
        #expect(LengthPrefixedFraming(limit: -1).limit == 0)
        #expect(
            events(of: .lengthPrefixed(limit: -1), in: Data(hex: "00000000")) == [.message(Data())]
        )
    }
}

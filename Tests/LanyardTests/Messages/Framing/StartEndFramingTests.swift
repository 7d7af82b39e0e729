// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTestSupport
import Testing

@Suite("STX and ETX")
struct StartEndFramingTests {
    private let good = FramingEvent.message(Data("good".utf8))

    @Test("A frame is the message between STX and ETX")
    func vector() throws {
        let frame = try StartEndFraming().frame(Data(#"{"a":1}"#.utf8))
        #expect(frame == Data(hex: "02 7B2261223A317D 03"))
        #expect(!StartEndFraming().carriesAnyByte)
    }

    @Test("A message that contains STX or ETX is not framed", arguments: [UInt8(0x02), 0x03])
    func unframeable(control: UInt8) {
        #expect(throws: MessageError.unframeable) {
            try StartEndFraming().frame(Data([0x61, control, 0x62]))
        }
    }

    @Test(
        "Each chunk gives the expected events",
        arguments: [
            ("stray before", "AABB 02676F6F6403", [.stray(count: 2)], []),
            ("stray after", "02676F6F6403 0D0A", [], [.stray(count: 2)]),
            ("an ETX without an STX", "03 02676F6F6403", [.stray(count: 1)], []),
            ("an STX inside", "026162 02676F6F6403", [.broken(count: 2)], []),
            ("STX after STX", "0202 02676F6F6403", [.broken(count: 0), .broken(count: 0)], []),
            ("ETX after ETX", "02676F6F6403 0303", [], [.stray(count: 2)]),
            ("an empty message", "0203 02676F6F6403", [.message(Data())], []),
        ] as [(String, String, [FramingEvent], [FramingEvent])]
    )
    func chunks(_ name: String, _ hex: String, before: [FramingEvent], after: [FramingEvent]) {
        #expect(events(of: .startEnd(), in: Data(hex: hex)) == before + [good] + after, "\(name)")
    }

    @Test("Stray bytes are counted for each chunk")
    func strayInChunks() {
        let found = events(
            of: .startEnd(),
            in: Data([1, 4]),
            Data([5]),
            Data(hex: "06 02676F6F6403")
        )
        #expect(found == [.stray(count: 2), .stray(count: 1), .stray(count: 1), good])
    }

    @Test("An STX ends the skipping of a message that is too long")
    func startInOversize() {
        let chunk = Data([0x02] + [UInt8](repeating: 0x61, count: 20)) + Data(hex: "02676F6F6403")
        #expect(events(of: .startEnd(limit: 10), in: chunk) == [.oversize(limit: 10), good])
    }

    @Test("A message of the maximum length is accepted, and one byte more is not")
    func edge() {
        let longest = Data(repeating: 0x61, count: 10)
        let stream = Data([2]) + longest + Data([3, 2]) + longest + Data([0x61, 3])
        let found = events(of: .startEnd(limit: 10), in: stream)
        #expect(found == [.message(longest), .oversize(limit: 10)])
    }

    @Test("A chunk of a million STX or ETX bytes is processed without a search for each")
    func manyControls() {
        // A search for an ETX through the rest of the chunk at each STX would take minutes.
        let count = 1_000_000
        let found = events(of: .startEnd(), in: Data(repeating: 2, count: count))
        #expect(found.count == count - 1)
        let ends = events(of: .startEnd(), in: Data(repeating: 3, count: count))
        #expect(ends == [.stray(count: count)])
    }

    @Test("Encoded JSON contains neither STX nor ETX")
    func json() throws {
        let text = String((0..<128).compactMap { Unicode.Scalar($0) }.map(Character.init))
        let json = try JSONEncoder().encode([text])
        let found = events(of: .startEnd(), in: try StartEndFraming().frame(json))
        #expect(found == [.message(json)])
    }
}

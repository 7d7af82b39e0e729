// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import GatewayProtocol

@Suite("Frames between a host and a gateway")
struct FrameTests {
    private static let frames: [(Frame, [UInt8])] = [
        (.hello(version: 1), [1, 0, 0, 0, 0, 0, 0, 0, 1, 1]),
        (
            .enroll(secret: Array(1...10), name: "pc"),
            [2, 0, 0, 0, 0, 0, 0, 0, 12] + Array(1...10) + [0x70, 0x63]
        ),
        (.enrolled(name: "hall"), [3, 0, 0, 0, 0, 0, 0, 0, 4] + Array("hall".utf8)),
        (.granted(name: "hall"), [4, 0, 0, 0, 0, 0, 0, 0, 4] + Array("hall".utf8)),
        (.refused("no"), [5, 0, 0, 0, 0, 0, 0, 0, 2] + Array("no".utf8)),
        (.packets([1, 3, 12, 0]), [6, 0, 0, 0, 0, 0, 0, 0, 4, 1, 3, 12, 0]),
        (.credit(0x0102_0304), [7, 0, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]),
        (.ping, [8, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]

    @Test("Each frame is written as its bytes, and read from them one byte at a time")
    func vectors() throws {
        for (frame, bytes) in Self.frames {
            var writer = FrameWriter()
            #expect(writer.bytes(of: frame) == bytes)
            var reader = FrameReader()
            for byte in bytes.dropLast() {
                reader.append([byte])
                #expect(try reader.next() == nil)
            }
            reader.append(bytes.suffix(1))
            #expect(try reader.next() == frame)
            #expect(try reader.next() == nil)
        }
    }

    @Test("Frames have consecutive numbers, and a lost or repeated one is an error")
    func numbers() throws {
        var writer = FrameWriter()
        let three = (0..<3).map { _ in writer.bytes(of: .ping) }
        var reader = FrameReader()
        reader.append(three.joined())
        for _ in 0..<3 { #expect(try reader.next() == .ping) }
        var lossy = FrameReader()
        lossy.append(three[0] + three[2])
        #expect(try lossy.next() == .ping)
        #expect(throws: FrameError.wrongNumber(2, expected: 1)) { try lossy.next() }
        var repeated = FrameReader()
        repeated.append(three[0] + three[0])
        #expect(try repeated.next() == .ping)
        #expect(throws: FrameError.wrongNumber(0, expected: 1)) { try repeated.next() }
    }

    @Test(
        "A body that does not fit its kind is an error",
        arguments: [
            (1, []), (1, [1, 2]), (2, Array(repeating: 7, count: 10)), (2, []),
            (3, []), (4, Array("a b".utf8)), (4, Array("../x".utf8)), (4, [0xFF]),
            (5, Array(repeating: 0x61, count: 513)), (6, []), (7, [1, 2, 3]), (8, [0]),
        ] as [(UInt8, [UInt8])]
    )
    func malformed(kind: UInt8, body: [UInt8]) {
        var reader = FrameReader()
        let length = [UInt8(body.count >> 8), UInt8(body.count & 0xFF)]
        reader.append([kind, 0, 0, 0, 0, 0, 0] + length + body)
        #expect(throws: FrameError.malformed) { try reader.next() }
    }

    @Test("The header alone shows an unknown kind and a body that is too long")
    func headers() {
        var reader = FrameReader()
        reader.append([9, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(throws: FrameError.unknownKind(9)) { try reader.next() }
        reader = FrameReader()
        reader.append([6, 0, 0, 0, 0, 0, 1, 0, 1])
        #expect(throws: FrameError.tooLong(65_537)) { try reader.next() }
        reader = FrameReader()
        reader.append(Array("GET / HTTP/1.1\r\n".utf8))
        #expect(throws: FrameError.unknownKind(0x47)) { try reader.next() }
    }

    @Test("A name is safe in a file's name and on a terminal")
    func names() {
        for name in ["a", "Hall-2", "pi.local", "x_1", String(repeating: "a", count: 64)] {
            #expect(Frame.isName(name), "\(name)")
        }
        for name in [
            "", ".", "..", "-a", "a/b", "a b", "ä", "a\n", String(repeating: "a", count: 65),
        ] {
            #expect(!Frame.isName(name), "\(name)")
        }
    }

    @Test("A reason from the other side has no control characters")
    func reasons() throws {
        var writer = FrameWriter()
        var reader = FrameReader()
        reader.append(writer.bytes(of: .refused("a\u{1B}[2Jb\u{202E}c\nd")))
        #expect(try reader.next() == .refused("a?[2Jb?c?d"))
    }

    @Test("Random bytes never trap", arguments: RunSeed.seeds(200))
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var reader = FrameReader()
        for _ in 0..<20 {
            let count = Int.random(in: 0...40, using: &generator)
            reader.append(
                (0..<count).map { _ in UInt8.random(in: 0...9, using: &generator) }
            )
            guard (try? reader.next()) != nil else { return }
        }
    }
}

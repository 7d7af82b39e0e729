// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("H4 deframer") struct H4DeframerTests {
    static let packets: [HCI.Packet] = [
        .command(opcode: .reset, parameters: []),
        .acl(.init(connectionHandle: Sample.link, boundary: .firstFlushable, payload: [1, 2, 3])),
        .event(code: .hardwareError, parameters: [7]),
        .synchronous([0x40, 0, 2, 8, 9]),
        .isochronous([0x40, 0x20, 3, 0x40, 1, 2, 3]),
        .acl(.init(connectionHandle: Sample.link, boundary: .continuing, payload: [])),
        .event(code: .vendor, parameters: ArraySlice(repeating: 4, count: 255)),
    ]
    static let stream = packets.flatMap(\.h4Bytes)

    private func drain(_ deframer: inout H4Deframer) throws -> [HCI.Packet] {
        var packets: [HCI.Packet] = []
        while let packet = try deframer.next() { packets.append(packet) }
        return packets
    }

    @Test("The deframer finds every packet in one chunk") func joined() throws {
        var deframer = H4Deframer()
        deframer.append(Self.stream[...])
        #expect(try drain(&deframer) == Self.packets)
        #expect(!deframer.holdsPartialPacket)
    }

    @Test("The deframer finds every packet if bytes arrive one at a time") func drip() throws {
        var deframer = H4Deframer()
        var packets: [HCI.Packet] = []
        for byte in Self.stream {
            deframer.append([byte])
            packets += try drain(&deframer)
        }
        #expect(packets == Self.packets)
    }

    @Test("The deframer finds every packet for each split of the stream into two chunks")
    func everyCut() throws {
        for cut in Self.stream.indices {
            var deframer = H4Deframer()
            deframer.append(Self.stream[..<cut])
            var packets = try drain(&deframer)
            deframer.append(Self.stream[cut...])
            packets += try drain(&deframer)
            #expect(packets == Self.packets, "cut at \(cut)")
        }
    }

    @Test(
        "The deframer finds thousands of packets in random chunks while all are retained",
        arguments: RunSeed.seeds(1)
    )
    func randomPieces(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let expected = (0..<2000).compactMap { _ in Self.packets.randomElement(using: &generator) }
        var rest = expected.flatMap(\.h4Bytes)[...]
        var deframer = H4Deframer()
        var packets: [HCI.Packet] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...700, using: &generator))
            rest = rest.dropFirst(piece.count)
            deframer.append(piece)
            packets += try drain(&deframer)
        }
        #expect(packets == expected)
    }

    @Test("The raw bytes of each packet begin with the type byte")
    func raw() throws {
        var deframer = H4Deframer()
        deframer.append(Self.stream[...])
        for packet in Self.packets {
            #expect(try deframer.nextRaw().map(Array.init) == packet.h4Bytes)
        }
        #expect(try deframer.nextRaw() == nil)
    }

    @Test("The deframer reports whether it holds a partial packet") func partial() throws {
        var deframer = H4Deframer()
        deframer.append([0x04, 0x10])
        #expect(try deframer.next() == nil)
        #expect(deframer.holdsPartialPacket)
        deframer.append([1, 7])
        #expect(try deframer.next() == .event(code: .hardwareError, parameters: [7]))
        #expect(!deframer.holdsPartialPacket)
    }

    @Test("The deframer throws at an unknown packet type, repeatedly, until it is reset")
    func unknownType() throws {
        var deframer = H4Deframer()
        deframer.append([0x04, 0x10, 1, 7, 0x00, 0x04, 0x10, 1, 7])
        #expect(try deframer.next() != nil)
        for _ in 0..<3 {
            #expect(throws: H4FramingError.unknownPacketType(0)) { try deframer.next() }
            deframer.append([0x04, 0x10, 1, 7])
        }
        #expect(!deframer.holdsPartialPacket, "The deframer keeps no bytes after an error")
        deframer.reset()
        deframer.append([0x04, 0x10, 1, 7])
        #expect(try deframer.next() != nil)
    }

    @Test("The deframer ignores the reserved bits of an isochronous length")
    func isochronousLength() throws {
        var deframer = H4Deframer()
        deframer.append([0x05, 0x40, 0x00, 0x01, 0xC0, 0xAA, 0x04])
        #expect(try deframer.next() == .isochronous([0x40, 0x00, 0x01, 0xC0, 0xAA]))
        #expect(deframer.holdsPartialPacket)
    }

    @Test("The deframer accepts an ACL packet of the greatest length")
    func greatestLength() throws {
        var deframer = H4Deframer()
        deframer.append([0x02, 0x40, 0x20, 0xFF, 0xFF])
        for _ in 0..<15 {
            #expect(try deframer.next() == nil)
            deframer.append(ArraySlice(repeating: 1, count: 4369))
        }
        guard case .acl(let packet) = try deframer.next() else {
            Issue.record("The deframer returns no packet")
            return
        }
        #expect(packet.payload.count == 65535)
    }

    @Test("Random bytes never trap the deframer", arguments: RunSeed.seeds(1))
    func surviveRandomBytes(
        seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            var deframer = H4Deframer()
            for _ in 0..<8 {
                let mask: UInt8 = Bool.random(using: &generator) ? 0x07 : 0xFF
                deframer.append(generator.bytes(40).map { $0 & mask }[...])
                while let packet = try? deframer.next() { _ = HCI.describe(packet) }
            }
        }
    }
}

@Suite("Resynchronization of the H4 deframer") struct H4ResynchronizationTests {
    static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]

    @Test("The deframer skips garbage up to the response to Reset, one byte at a time")
    func garbage() throws {
        var deframer = H4Deframer()
        deframer.append([0xFF, 0xFF])
        #expect(throws: H4FramingError.self) { try deframer.next() }
        deframer.resynchronize()
        var packets: [HCI.Packet] = []
        for byte in [0x04, 0x0E, 0x04, 0x01, 0x03, 0x55, 0x04] + Self.resetAnswer {
            deframer.append([byte])
            if let packet = try deframer.next() { packets.append(packet) }
        }
        #expect(packets == [.event(code: .commandComplete, parameters: [1, 3, 0x0C, 0])])
        deframer.append([0x04, 0x10, 1, 7])
        #expect(try deframer.next() == .event(code: .hardwareError, parameters: [7]))
    }

    @Test("The deframer throws if more bytes than its limit contain no response to Reset")
    func bounded() throws {
        var deframer = H4Deframer()
        deframer.resynchronize()
        let noise = [UInt8](repeating: 0xAA, count: 1 << 16)
        #expect(throws: H4FramingError.self) {
            for _ in 0...(H4Deframer.resynchronizationLimit / noise.count) {
                deframer.append(noise[...])
                _ = try deframer.next()
            }
        }
        #expect(!deframer.holdsPartialPacket)
    }
}

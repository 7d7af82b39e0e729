// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

@Suite("A host's byte stream") struct HostStreamTests {
    private static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
    private static let resetPacket = HCI.Packet.command(opcode: .reset, parameters: [])

    private func arrivals(_ stream: inout HostStream) -> [HostStream.Arrival] {
        var arrivals: [HostStream.Arrival] = []
        while let arrival = stream.next() { arrivals.append(arrival) }
        return arrivals
    }

    private static let mixed: [HCI.Packet] = [
        resetPacket,
        .command(opcode: .leRand, parameters: []),
        .acl(
            HCI.ACLPacket(
                connectionHandle: ConnectionHandle(rawValue: 1),
                boundary: .firstNonFlushable,
                payload: [UInt8](repeating: 7, count: 251)[...]
            )
        ),
        .synchronous([0x01, 0x00, 0x02, 0xAA, 0xBB]),
        .isochronous([0x01, 0x00, 0x02, 0x00, 0xAA, 0xBB]),
        .command(opcode: .leSetEventMask, parameters: [1, 2, 3, 4, 5, 6, 7, 8]),
    ]

    @Test(
        "A stream in pieces of any length yields the same packets",
        arguments: [1, 2, 3, 5, 7, 64, 1_000]
    )
    func cuts(size: Int) {
        let bytes = Self.mixed.flatMap(\.h4Bytes)
        var stream = HostStream()
        var found: [HostStream.Arrival] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            stream.append(Array(bytes[start..<min(start + size, bytes.count)]))
            found += arrivals(&stream)
        }
        #expect(found == Self.mixed.map(HostStream.Arrival.packet))
    }

    @Test(
        "Bytes that are not a packet are reported once and skipped up to the next Reset",
        arguments: [
            [0x00], [0x04, 0x0E, 0x01, 0x00], [0x06, 0x01, 0x03], [0xFF, 0xFF, 0xFF, 0xFF],
            // Data longer than any controller accepts: 4,097 bytes, and 65,535.
            [0x02, 0x01, 0x00, 0x01, 0x10], [0x02, 0x01, 0x00, 0xFF, 0xFF],
        ] as [[UInt8]]
    )
    func garbage(garbage: [UInt8]) {
        var stream = HostStream()
        stream.append(garbage + garbage + [0x01, 0x03, 0x0C])
        #expect(arrivals(&stream) == [.framingLost])
        stream.append([0x01, 0x03])
        #expect(arrivals(&stream) == [])
        stream.append([0x0C, 0x00] + Self.reset)
        #expect(arrivals(&stream) == [.packet(Self.resetPacket), .packet(Self.resetPacket)])
    }

    @Test("A Reset after garbage is found in a stream of single bytes") func dripFeed() {
        var stream = HostStream()
        var found: [HostStream.Arrival] = []
        for byte in [0xAB, 0xCD, 0x01, 0x01, 0x03, 0x01] + Self.reset + Self.reset {
            stream.append([byte])
            found += arrivals(&stream)
        }
        #expect(found == [.framingLost, .packet(Self.resetPacket), .packet(Self.resetPacket)])
    }

    @Test(
        "Random bytes never trap, and a later Reset is always found",
        arguments: RunSeed.seeds(1)
    ) func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // A packet with a random header is not longer than these bytes.
        let resets = Array(repeatElement(Self.reset, count: 4_200).joined())
        for _ in 0..<100 {
            var stream = HostStream()
            stream.append(generator.bytes(Int.random(in: 0...400, using: &generator)))
            _ = arrivals(&stream)
            stream.append(resets + [0x00] + Self.reset)
            #expect(arrivals(&stream).last == .packet(Self.resetPacket))
        }
    }

    @Test("After lost framing, the controller sends Hardware Error and ignores bytes until Reset")
    func controller()
        throws
    {
        let host = try RawHost(World(seed: 1))
        host.send([0x77, 0x01, 0x02])
        #expect(host.events == [HardwareErrorCode.framingLost.event])
        host.send(HCI.EncodedCommand(HCI.LERand()).h4Packet)
        #expect(host.events.count == 1)
        host.send(HCI.Reset())
        #expect(host.events.last == .completed(.reset, [0]))
        host.send(HCI.LERand())
        #expect(host.events.count == 3)
    }

    @Test("SCO and ISO packets are ignored") func others() throws {
        let host = try RawHost(World(seed: 1))
        host.send([0x03, 0x01, 0x00, 0x01, 0xFF])
        host.send([0x05, 0x01, 0x00, 0x01, 0x00, 0xFF])
        #expect(host.packets.isEmpty)
        host.send(HCI.Reset())
        #expect(host.events == [.completed(.reset, [0])])
    }

    @Test("Data for a link that does not exist is ignored") func strayData() throws {
        let host = try RawHost(World(seed: 1))
        host.send([0x02, 0x01, 0x00, 0x01, 0x00, 0xFF])
        #expect(host.packets.isEmpty)
    }
}

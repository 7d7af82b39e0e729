// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

@Suite("HCI packets") struct PacketTests {
    @Test("Packets survive a round trip") func roundTrip() throws {
        for packet in H4DeframerTests.packets {
            #expect(try HCI.Packet(h4: packet.h4Bytes[...]) == packet)
        }
    }

    @Test("A command, event or ACL packet with a wrong length field is malformed")
    func wrongLength() {
        for packet in H4DeframerTests.packets {
            if case .synchronous = packet { continue }
            if case .isochronous = packet { continue }
            let bytes = packet.h4Bytes
            for length in bytes.indices {
                #expect(throws: MalformedBytes.self) { try HCI.Packet(h4: bytes[..<length]) }
            }
            #expect(throws: MalformedBytes.trailing(count: 1)) {
                try HCI.Packet(h4: bytes + [0])
            }
        }
    }

    @Test("A packet of unknown type is malformed") func unknownType() {
        #expect(throws: MalformedBytes.invalid(field: "packet type")) {
            try HCI.Packet(h4: [0x06, 0, 0])
        }
        #expect(throws: MalformedBytes.self) { try HCI.Packet(h4: []) }
    }
}

@Suite("ACL packets") struct ACLPacketTests {
    @Test("The handle and the flags share one field") func vector() throws {
        let packet = try HCI.ACLPacket(parsing: [0x40, 0x20, 3, 0, 1, 2, 3])
        #expect(packet.connectionHandle == Sample.link)
        #expect(packet.boundary == .firstFlushable)
        #expect(packet.broadcast == 0)
        #expect(packet.payload == [1, 2, 3])
        #expect(packet.h4Bytes == [0x02, 0x40, 0x20, 3, 0, 1, 2, 3])
    }

    @Test(
        "Every combination of boundary and broadcast flags survives a round trip",
        arguments: 0...3 as ClosedRange<UInt8>
    )
    func flags(boundary: UInt8) throws {
        for broadcast: UInt8 in 0...3 {
            let packet = HCI.ACLPacket(
                connectionHandle: .maximum,
                boundary: try #require(.init(rawValue: boundary)),
                broadcast: broadcast,
                payload: [9]
            )
            #expect(try HCI.ACLPacket(parsing: packet.h4Bytes.dropFirst()) == packet)
        }
    }

    @Test("A payload beyond the range of the length field is truncated") func tooLong() {
        let packet = HCI.ACLPacket(
            connectionHandle: Sample.link,
            boundary: .continuing,
            payload: ArraySlice(repeating: 0, count: 70_000)
        )
        #expect(packet.h4Bytes.count == 5 + 65_535)
    }
}

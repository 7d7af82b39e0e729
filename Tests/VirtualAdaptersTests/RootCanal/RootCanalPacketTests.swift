// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualAdapters

@Suite("RootCanal's packets")
struct RootCanalPacketTests {
    /// A packet of each type.
    static let samples: [RootCanalPacket] = {
        let key = [UInt8](1...16)
        let parameters = RootCanalPacket.ConnectionParameters(
            initiator: .random,
            advertiser: .public,
            interval: 6,
            latency: 1,
            timeout: 500
        )
        let extended = RootCanalPacket.ExtendedAdvertisement(
            own: .random,
            target: .random,
            isConnectable: true,
            isScannable: false,
            isDirected: true,
            setIdentifier: 3,
            transmitPower: 10,
            primaryPHY: 1,
            secondaryPHY: 2,
            data: [2, 1, 6]
        )
        let contents: [RootCanalPacket.Content] = [
            .advertisement(type: .scannable, own: .random, target: .public, data: [2, 1, 6]),
            .extendedAdvertisement(extended),
            .scanRequest(own: .public, advertiser: .random),
            .scanResponse(own: .random, data: [1, 2]),
            .connectionRequest(parameters),
            .connectionResponse(parameters),
            .disconnection(reason: 0x13),
            .data(isContinuation: true, [1, 2, 3]),
            .encryptionRequest(random: [UInt8](0..<8), diversifier: 0x1234, key: key),
            .encryptionResponse(status: 6, key: key),
            .featureRequest,
            .featureResponse(features: 0x1122_3344_5566_7788, status: 0),
            .versionRequest,
            .versionResponse(version: 12, subversion: 1, company: 0xE0),
            .parameterRequest(intervals: 6...12, latency: 0, timeout: 100),
            .parameterUpdate(status: 0, interval: 6, latency: 1, timeout: 100),
            .pingRequest,
            .pingResponse,
            .phyRequest(send: 1, receive: 2),
            .phyResponse(send: 3, receive: 4),
            .phyUpdate(toPeripheral: 2, toCentral: 1),
        ]
        return contents.map {
            RootCanalPacket(source: 0x0102_0304_0506, destination: 0xA1A2_A3A4_A5A6, content: $0)
        }
    }()

    /// The packets of a fixed length. The other packets end with data, or may have the shorter
    /// format of an old release.
    private static let fixedSamples = samples.filter { packet in
        switch packet.content {
        case .advertisement, .extendedAdvertisement, .scanResponse, .data: false
        case .encryptionResponse: false
        default: true
        }
    }

    /// RootCanal 1.10.0's own Python package contains the encoder.
    @Test("The bytes are those of RootCanal's own encoder")
    func vectors() throws {
        let addresses = "060504030201a6a5a4a3a2a1"
        let expected: [Int: String] = [
            0: "0b" + addresses + "010002020106",
            1: "37" + addresses + "0101" + "05" + "030a0102" + "0000" + "020106",
            4: "0c" + addresses + "0100" + "0600" + "0100" + "f401",
            7: "01" + addresses + "0100" + "010203",
            8: "20" + addresses + "0001020304050607" + "3412" + "0102030405060708090a0b0c0d0e0f10",
            11: "2d" + addresses + "8877665544332211" + "00",
            13: "1c" + addresses + "0c01e000",
            15: "2f" + addresses + "00" + "0600" + "0100" + "6400",
        ]
        for (index, text) in expected {
            #expect(Self.samples[index].bytes.hexadecimal == text)
        }
    }

    @Test("A packet stays the same when it is written and read again", arguments: samples)
    func roundTrip(packet: RootCanalPacket) throws {
        #expect(try RootCanalPacket(packet.bytes) == packet)
    }

    @Test("Truncated packets and trailing bytes are refused", arguments: fixedSamples)
    func truncations(packet: RootCanalPacket) {
        for count in packet.bytes.indices {
            #expect(throws: MalformedBytes.self) {
                try RootCanalPacket(Array(packet.bytes.prefix(count)))
            }
        }
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try RootCanalPacket(packet.bytes + [0])
        }
    }

    @Test("RootCanal 1.10 answers a request for encryption without a status")
    func oldEncryptionResponse() throws {
        let address = [UInt8](repeating: 0, count: 6)
        let bytes = [0x21] + address + address + [UInt8](repeating: 0, count: 10)
        let key = [UInt8](1...16)
        let accepted = try RootCanalPacket(bytes + key).content
        #expect(accepted == .encryptionResponse(status: 0, key: key))
        let none = [UInt8](repeating: 0, count: 16)
        let refused = try RootCanalPacket(bytes + none).content
        #expect(refused == .encryptionResponse(status: 6, key: none))
        #expect(throws: MalformedBytes.self) { try RootCanalPacket(bytes + key.dropLast()) }
    }

    @Test("Packets of unsupported types are refused")
    func unknownTypes() {
        for type in [0x00, 0x02, 0x03, 0x06, 0x34, 0x40, 0x41, 0x53, 0xF0, 0xFF] as [UInt8] {
            #expect(throws: MalformedBytes.invalid(field: "packet type")) {
                try RootCanalPacket([type] + [UInt8](repeating: 0, count: 40))
            }
        }
    }

    @Test("The longest ACL packet of a host fits")
    func longestPacket() throws {
        let data = [UInt8](repeating: 7, count: 0xFFFF)
        let content = RootCanalPacket.Content.data(isContinuation: false, data)
        let packet = RootCanalPacket(source: 1, destination: 2, content: content)
        var deframer = RootCanalDeframer()
        deframer.append(packet.framedBytes)
        let bytes = try #require(try deframer.next())
        #expect(try RootCanalPacket(bytes) == packet)
        #expect(bytes.count == RootCanalDeframer.packetLimit)
    }

    @Test("Packets are found in a stream in pieces of any length", arguments: 1...40)
    func pieces(length: Int) throws {
        let stream = Self.samples.flatMap(\.framedBytes)
        var deframer = RootCanalDeframer()
        var packets: [RootCanalPacket] = []
        for start in stride(from: 0, to: stream.count, by: length) {
            deframer.append(stream[start..<min(start + length, stream.count)])
            while let bytes = try deframer.next() { packets.append(try RootCanalPacket(bytes)) }
        }
        #expect(packets == Self.samples)
        #expect(deframer.waitingCount == 0)
    }
}

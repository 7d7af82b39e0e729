// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import LanyardCLI

/// Captures of an encrypted link. The encrypted packets are those that the specification prints
/// (Vol 6, Part C, 1).
@Suite("Sniffer captures") struct CaptureTests {
    private static let address = "78563412"
    static let keys = """
        [{"central": "A1:A2:A3:A4:A5:A6/random", "peripheral": "B1:B2:B3:B4:B5:B6/public",
          "ltk": "4c68384139f574d836bcf34e9dfb01bf", "ediv": 9332, "rand": "abcdef1234567890"}]
        """
    static let wrongKeys = keys.replacingOccurrences(of: "4c68", with: "4c69")

    /// CONNECT_IND, then the packets of both sides as header, length and payload.
    static let packets: [(isFromCentral: Bool, bytes: String)] = [
        (true, "0317" + "03" + "9078563412efcdab" + "7424" + "1302f1e0dfcebdac" + "24abdcba"),
        (false, "0b0d" + "04" + "7968574635241302" + "bebaafde"),
        (true, "0d00"),
        (false, "0301" + "05"),
        (true, "0f059fcda7f448"),
        (false, "0705a34c13a415"),
        (true, "0e1f7a70d66415226df26b17839a060405596bd6564f796b5b9ce6ff32f75a6d33"),
        (false, "061ff38881e7bd94c9c369b9a66846dd4786aa8c39ce540d0dae3adcdf89b96088"),
    ]

    private static let connect =
        "d6be898e" + "4522" + "a6a5a4a3a2a1" + "b6b5b4b3b2b1" + address + "000000"
        + "02000018000000f401ffffffff1f05" + "000000"

    /// Returns a pcap file of link type 251, or 256 with `hasHeader`, with one connection event for
    /// each packet of the central and its response.
    static func file(
        _ packets: [(isFromCentral: Bool, bytes: String)],
        hasHeader: Bool = false
    ) -> [UInt8] {
        var bytes = "d4c3b2a1020004000000000000000000ffff0000".bytes
        bytes += hasHeader ? "00010000".bytes : "fb000000".bytes
        var time: UInt32 = 0
        append(connect.bytes, at: time, flags: hasHeader ? 0 : nil, to: &bytes)
        for packet in packets {
            time += packet.isFromCentral ? 30_000 : 300
            let packetBytes = (address + packet.bytes + "000000").bytes
            let flags: UInt16 = packet.isFromCentral ? 2 << 7 : 3 << 7
            append(packetBytes, at: time, flags: hasHeader ? flags : nil, to: &bytes)
        }
        return bytes
    }

    private static func append(
        _ packet: [UInt8],
        at time: UInt32,
        flags: UInt16?,
        to bytes: inout [UInt8]
    ) {
        var writer = ByteWriter()
        let header = flags == nil ? 0 : 10
        for field in [0, time, UInt32(packet.count + header), UInt32(packet.count + header)] {
            writer.write(field)
        }
        if let flags {
            writer.write(contentsOf: [UInt8](repeating: 0, count: 8))
            writer.write(flags)
        }
        writer.write(contentsOf: packet)
        bytes += writer.bytes
    }

    private func decode(_ bytes: [UInt8], _ keys: String) throws -> [TraceLine] {
        var file = try Pcap(bytes)
        var decoder = CaptureDecoder(keys: try ExportedKey.parse(keys))
        var lines: [TraceLine] = []
        while let record = try file.next() {
            guard let packet = AirPacket(record, file.linkType) else { continue }
            if let line = decoder.decode(packet) { lines.append(line) }
        }
        return lines
    }

    @Test("With the key, encrypted packets are decrypted", arguments: [false, true])
    func decrypts(hasHeader: Bool) throws {
        let lines = try decode(Self.file(Self.packets, hasHeader: hasHeader), Self.keys)
        #expect(lines.map(\.layer) == [.ll, .ll, .ll, .ll, .ll, .ll, .l2cap, .l2cap])
        #expect(
            lines.map(\.direction)
                == [.sent, .sent, .received, .received, .sent, .received, .sent, .received]
        )
        #expect(lines[0].text == "CONNECT_IND A1:A2:A3:A4:A5:A6/random to B1:B2:B3:B4:B5:B6/public")
        #expect(lines[1].text.hasPrefix("LL_ENC_REQ 90785634"))
        #expect(lines[4].text == "LL_START_ENC_RSP" && lines[5].text == "LL_START_ENC_RSP")
        #expect(
            lines[6].text.hasSuffix("65666768696a6b6c6d6e6f707131323334353637383930")
        )
        #expect(lines.allSatisfy { !$0.isMalformed })
    }

    @Test(
        "Without the key, the capture is read, and one line states that no key fits",
        arguments: [CaptureTests.wrongKeys, "[]"]
    )
    func wrongKey(keys: String) throws {
        let lines = try decode(Self.file(Self.packets), keys)
        #expect(lines.count == 5)
        #expect(lines[4].isMalformed)
        let count = keys == "[]" ? 0 : 1
        #expect(lines[4].text == "encrypted from here on, and no key fits (keys: \(count))")
    }

    @Test("A retransmission makes no line")
    func repetitions() throws {
        let repeated = Self.packets.flatMap { [$0, $0] }
        let lines = try decode(Self.file(repeated, hasHeader: true), Self.keys)
        #expect(lines.count == 8)
        #expect(lines.allSatisfy { !$0.isMalformed })
    }

    /// Returns the beginning of a link with an access address.
    private func beginning(of accessAddress: UInt32) throws -> AirPacket {
        var writer = ByteWriter()
        writer.write(AirPacket.advertisingAddress)
        writer.write(contentsOf: "4522a6a5a4a3a2a1b6b5b4b3b2b1".bytes)
        writer.write(accessAddress)
        writer.write(contentsOf: "00000002000018000000f401ffffffff1f05".bytes)
        let record = Pcap.Record(microseconds: 0, bytes: writer.bytes[...])
        return try #require(AirPacket(record, .linkLayer))
    }

    @Test("A link that begins again does not replace another link")
    func repeatedBeginning() throws {
        var decoder = CaptureDecoder(keys: [])
        for accessAddress in 1...UInt32(CaptureDecoder.linkLimit) {
            _ = decoder.decode(try beginning(of: accessAddress))
        }
        _ = decoder.decode(try beginning(of: UInt32(CaptureDecoder.linkLimit)))
        // LL_TERMINATE_IND on the oldest link.
        let record = Pcap.Record(microseconds: 0, bytes: "0100000003020213".bytes[...])
        let packet = try #require(AirPacket(record, .linkLayer))
        #expect(decoder.decode(packet)?.text == "LL_TERMINATE_IND 13")
    }

    @Test("A link with the handle of an earlier link does not continue a PDU of that link")
    func reusedHandle() throws {
        var decoder = CaptureDecoder(keys: [])
        // The start of an ATT PDU of three bytes on the first link, and the rest of a PDU on the
        // link with the same handle.
        let parts = ["0206" + "03000400" + "02ff", "0101" + "02"]
        let count = UInt32(ConnectionHandle.maximum.rawValue) + 1
        for accessAddress in 1...count {
            _ = decoder.decode(try beginning(of: accessAddress))
            guard accessAddress == 1 else { continue }
            #expect(decoder.decode(try packet(parts[0], on: 1)) == nil)
        }
        let line = decoder.decode(try packet(parts[1], on: count))
        #expect(line?.connection?.rawValue == 0)
        #expect(line?.isMalformed == true)
    }

    /// Returns a packet of a link, without its CRC.
    private func packet(_ bytes: String, on accessAddress: UInt32) throws -> AirPacket {
        var writer = ByteWriter()
        writer.write(accessAddress)
        writer.write(contentsOf: bytes.bytes)
        let record = Pcap.Record(microseconds: 0, bytes: writer.bytes[...])
        return try #require(AirPacket(record, .linkLayer))
    }

    @Test("A missed packet does not end decryption")
    func losses() throws {
        var packets = Self.packets
        packets.remove(at: 4)
        let lines = try decode(Self.file(packets, hasHeader: true), Self.keys)
        #expect(lines.count == 7)
        #expect(lines.allSatisfy { !$0.isMalformed })
    }

    @Test("A truncated capture and a file of another kind are errors")
    func torn() throws {
        let bytes = Self.file(Self.packets)
        #expect(throws: Pcap.Failure.self) { try decode(Array(bytes.dropLast(3)), Self.keys) }
        #expect(throws: Pcap.Failure.notPcap) { try Pcap([1, 2, 3, 4]) }
        #expect(throws: Pcap.Failure.unknownLinkType(1)) {
            try Pcap("d4c3b2a1020004000000000000000000ffff000001000000".bytes)
        }
    }

    @Test(
        "A fault in a key file is an error",
        arguments: [
            "{}", "[{}]", #"[{"central": "x", "peripheral": "y", "ltk": ""}]"#,
            CaptureTests.keys.replacingOccurrences(of: "4c68", with: "4c6"),
            CaptureTests.keys.replacingOccurrences(of: "9332", with: "65536"),
            CaptureTests.keys.replacingOccurrences(of: "/random", with: ""),
        ]
    )
    func wrongFile(text: String) {
        #expect(throws: (any Error).self) { try ExportedKey.parse(text) }
    }

    @Test("A capture is recognized by its beginning and printed up to the damage")
    func prints() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lanyard-\(UUID().uuidString).pcap"
        )
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(Self.file(Self.packets, hasHeader: true).dropLast(2)).write(to: file)
        #expect(TracePrinter.isCapture(file.path))
        #expect(!TracePrinter.isCapture("/dev/null"))
        let output = ScriptedAccessory.Recorder()
        let printer = TracePrinter(
            filter: TraceFilter(layers: [.l2cap]),
            isJSON: false,
            console: Console(
                isOutputTerminal: false,
                isRemarkTerminal: false,
                size: { Console.Size(columns: 80, rows: 24) },
                write: { output.note($0) },
                remark: { _ in }
            )
        )
        let keys = try ExportedKey.parse(Self.keys)
        #expect(throws: ProgramFailure.self) { try printer.print(capture: file.path, keys: keys) }
        let lines = output.lines.joined().split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("0x0000 l2cap channel 0x6463: 656667") == true)
    }

    @Test("Random captures never trap", arguments: RunSeed.seeds(1))
    func noise(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            var bytes = Self.file(Self.packets, hasHeader: generator.happens(oneIn: 2))
            for _ in 0..<20 {
                bytes[Int.random(in: 24..<bytes.count, using: &generator)] = UInt8(
                    truncatingIfNeeded: generator.next()
                )
            }
            _ = try? decode(bytes, Self.keys)
        }
    }
}

extension String {
    fileprivate var bytes: [UInt8] { Array(hexadecimal: self) ?? [] }
}

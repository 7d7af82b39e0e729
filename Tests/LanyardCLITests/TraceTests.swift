// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import Testing

@testable import LanyardCLI

@Suite("Decoding packet logs") struct TraceTests {
    private static func record(
        _ hex: String,
        _ direction: Btsnoop.Direction = .received,
        at microseconds: Int64 = 0
    ) -> Btsnoop.Record {
        Btsnoop.Record(
            microsecondsSince1970: microseconds,
            direction: direction,
            packet: ([UInt8](hexadecimal: hex.filter { $0 != " " }) ?? [])[...]
        )
    }

    private func decode(_ records: [Btsnoop.Record]) -> [TraceLine] {
        var decoder = TraceDecoder()
        return records.compactMap { decoder.decode($0) }
    }

    @Test("Commands and events are lines of the HCI layer, with their connection")
    func decodesHCI() {
        let lines = decode([
            Self.record("01 030c 00", .sent), Self.record("04 0e 04 01 030c 00"),
            Self.record("01 0604 03 4000 13", .sent), Self.record("04 05 04 00 4000 16"),
        ])
        #expect(lines.map(\.layer) == [.hci, .hci, .hci, .hci])
        #expect(lines.map { $0.connection?.rawValue } == [nil, nil, 0x40, 0x40])
        #expect(lines[0].text == "Reset")
        #expect(lines[2].text.hasPrefix("Disconnect:"))
    }

    @Test(
        "ATT PDUs are named with their fields",
        arguments: [
            ("02 0502", "ATT_EXCHANGE_MTU_REQ mtu=517"),
            ("01 0a 0300 05", "ATT_ERROR_RSP Insufficient Authentication to ATT_READ_REQ #3"),
            (
                "10 0100 ffff 0028",
                "ATT_READ_BY_GROUP_TYPE_REQ #1–65535 type=2800 (Primary Service)"
            ),
            ("11 06 0100 0500 0018", "ATT_READ_BY_GROUP_TYPE_RSP #1–5=1800 (Generic Access)"),
            (
                "05 01 0900 0229",
                "ATT_FIND_INFORMATION_RSP #9=2902 (Client Characteristic Configuration)"
            ),
            ("07 0100 0500", "ATT_FIND_BY_TYPE_VALUE_RSP #1–5"),
            ("09 07 0200 020300002a", "ATT_READ_BY_TYPE_RSP #2=020300002a"),
            ("0a 0300", "ATT_READ_REQ #3"),
            ("0b", "ATT_READ_RSP (empty)"),
            ("0c 0300 1600", "ATT_READ_BLOB_REQ #3 offset=22"),
            ("12 0300 01ff", "ATT_WRITE_REQ #3=01ff"),
            ("13", "ATT_WRITE_RSP"),
            ("16 0300 0000 aa", "ATT_PREPARE_WRITE_REQ #3 offset=0 value=aa"),
            ("18 01", "ATT_EXECUTE_WRITE_REQ write all"),
            ("1b 0300 0048", "ATT_HANDLE_VALUE_NTF #3=0048"),
            ("1e", "ATT_HANDLE_VALUE_CFM"),
            ("20 0300 0500", "ATT_READ_MULTIPLE_VARIABLE_REQ #3 #5"),
            ("23 0300 0100 aa 0500 0100 bb", "ATT_MULTIPLE_HANDLE_VALUE_NTF #3=aa, #5=bb"),
            ("52 0300 01", "ATT_WRITE_CMD #3=01"),
            ("7f 01", "0x7F 01"),
        ]
    )
    func decodesATT(hex: String, expected: String) {
        let pdu = [UInt8](hexadecimal: hex.filter { $0 != " " }) ?? []
        let lines = decode([Self.acl(pdu, channel: 4)])
        #expect(lines.map(\.text) == [expected])
        #expect(lines.map(\.layer) == [.att])
        #expect(lines.first?.isMalformed == false)
    }

    @Test("Security Manager PDUs stay hexadecimal, and dynamic channels are named by number")
    func decodesOtherChannels() {
        let lines = decode([
            Self.acl([0x0B, 1], channel: 6), Self.acl([0x14, 1, 0, 0], channel: 5),
            Self.acl([1, 2], channel: 0x40), Self.acl([1], channel: 5),
        ])
        #expect(lines.map(\.layer) == [.smp, .l2cap, .l2cap, .l2cap])
        #expect(lines[0].text == "0b01")
        #expect(lines[2].text == "channel 0x0040: 0102")
        #expect(lines.map(\.isMalformed) == [false, false, false, true])
    }

    @Test("Keys that another program's log contains are zeros in the text")
    func redactsKeys() {
        let secret = [UInt8](0xA1...0xB0)
        let lines = decode([
            Self.record("01 1720 20" + secret.hexadecimal + secret.hexadecimal, .sent),
            Self.record("04 0e 14 01 1720 00" + secret.hexadecimal),
            Self.record("04 0e 0c 01 1820 00" + secret.prefix(8).hexadecimal),
            Self.acl([0x06] + secret, channel: 6), Self.acl([0x08] + secret, channel: 6),
            Self.acl([0x0A] + secret, channel: 6),
        ])
        #expect(lines.count == 6)
        let zeros = String(repeating: "00", count: 16)
        #expect(lines[0].text == "LE Encrypt: key=(secret), plaintext=\(zeros)")
        #expect(lines[2].text.hasSuffix("random=0"))
        #expect(lines[3].text == "06" + zeros)
        for line in lines { #expect(!line.json.compact.contains("a1a2")) }
    }

    @Test("The fragments of each direction become one line with the time of the last fragment")
    func recombines() {
        let lines = decode([
            Self.record("02 4020 0600 0500 0400 1b03", at: 1),
            Self.record("02 4000 0700 0300 0400 0a0300", .sent, at: 2),
            Self.record("02 4010 0100 00", at: 3), Self.record("02 4010 0200 4849", at: 4),
        ])
        #expect(lines.map(\.text) == ["ATT_READ_REQ #3", "ATT_HANDLE_VALUE_NTF #3=4849"])
        #expect(lines.map(\.microsecondsSince1970) == [2, 4])
        #expect(lines.map(\.direction) == [.sent, .received])
    }

    @Test("A handle that is used again after a disconnection starts without state")
    func forgetsEndedLinks() {
        let lines = decode([
            Self.record("02 4020 0600 0500 0400 1b03"), Self.record("04 05 04 00 4000 13"),
            Self.record("02 4010 0100 00"),
        ])
        #expect(lines.count == 2)
        #expect(lines.last?.isMalformed == true)
    }

    @Test(
        "A malformed packet is marked",
        arguments: ["", "09 00", "04 05 04 00", "02 4020 ffff 00", "02 4010 0100 00", "01 03"]
    )
    func reportsMalformedPackets(hex: String) {
        let lines = decode([Self.record(hex)])
        #expect(lines.count == 1 && lines.first?.isMalformed == true)
    }

    @Test("A malformed ATT PDU is marked")
    func reportsMalformedPDUs() {
        let lines = decode([Self.acl([0x0A, 0x03], channel: 4), Self.acl([], channel: 4)])
        #expect(lines.map(\.isMalformed) == [true, true])
        #expect(lines.map(\.layer) == [.att, .att])
    }

    @Test("A packet that the log cut is not decoded")
    func reportsCutPackets() {
        var cut = Self.record("02 4020 0700 0300 04")
        cut.originalLength = 12
        let lines = decode([cut])
        #expect(lines.first?.text == "8 of 12 bytes kept by the log")
    }

    @Test("Random packets make lines that print safely, or none", arguments: RunSeed.seeds(1))
    func survivesRandomPackets(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var decoder = TraceDecoder()
        for _ in 0..<5000 {
            var bytes = generator.bytes(upTo: 40)
            if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...6, using: &generator) }
            if bytes.count > 4, bytes[0] == 2 {
                bytes[3] = UInt8(bytes.count - 5)
                bytes[4] = 0
            }
            let record = Btsnoop.Record(
                microsecondsSince1970: .random(in: .min ... .max, using: &generator),
                direction: .sent,
                packet: bytes[...]
            )
            guard let line = decoder.decode(record) else { continue }
            let text = line.text(since: .random(in: .min ... .max, using: &generator))
            #expect(text.unicodeScalars.allSatisfy { $0.isPrintable })
        }
    }

    @Test("A line has time, direction, connection and layer in columns")
    func printsLines() {
        let lines = decode([
            Self.record("01 030c 00", .sent, at: 1_000_000),
            Self.acl([0x0A, 0x03, 0x00], channel: 4, at: 2_500_000),
        ])
        #expect(lines[0].text(since: 1_000_000) == "    0.000000 >        hci   Reset")
        #expect(lines[1].text(since: 1_000_000) == "    1.500000 < 0x0040 att   ATT_READ_REQ #3")
        let json =
            #"{"microseconds":2500000,"direction":"received","connection":64,"layer":"att","#
            + #""malformed":false,"text":"ATT_READ_REQ #3"}"#
        #expect(lines[1].json.compact == json)
    }

    @Test("Filters admit by connection and layer")
    func filters() throws {
        let lines = decode([
            Self.record("01 030c 00", .sent), Self.acl([0x0A, 0x03, 0x00], channel: 4),
            Self.acl([0x0B], channel: 6),
        ])
        let att = TraceFilter(layers: [.att])
        #expect(lines.filter(att.admits).map(\.layer) == [.att])
        let link = TraceFilter(connection: try TraceFilter.connection("0x40"))
        #expect(lines.filter(link.admits).map(\.layer) == [.att, .smp])
        let other = TraceFilter(connection: try TraceFilter.connection("65"))
        #expect(lines.filter(other.admits).isEmpty)
    }

    @Test("Invalid filters are refused", arguments: ["", "x", "-1", "0xF00", "65536"])
    func refusesConnections(text: String) {
        #expect(throws: ProgramFailure.self) { try TraceFilter.connection(text) }
        #expect(throws: ProgramFailure.self) { try TraceFilter.layer(text) }
    }

    /// Returns one L2CAP PDU in one packet of connection 0x0040.
    private static func acl(
        _ payload: [UInt8],
        channel: UInt16,
        at microseconds: Int64 = 0
    ) -> Btsnoop.Record {
        var writer = ByteWriter()
        writer.write(UInt8(2))
        writer.write(UInt16(0x2040))
        writer.write(UInt16(payload.count + 4))
        writer.write(UInt16(payload.count))
        writer.write(channel)
        writer.write(contentsOf: payload)
        return Btsnoop.Record(
            microsecondsSince1970: microseconds,
            direction: .received,
            packet: writer.bytes[...]
        )
    }
}

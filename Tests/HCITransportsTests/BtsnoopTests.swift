// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

import enum LanyardTestSupport.RunSeed

@testable import HCITransports

@Suite("Btsnoop format")
struct BtsnoopTests {
    /// Records as another host writes them: HCI Reset at midnight of 2000-01-01, its answer one and
    /// a half seconds later, and an ACL packet in each direction.
    private static let records = [
        Btsnoop.Record(
            microsecondsSince1970: 946_684_800_000_000,
            direction: .sent,
            packet: [0x01, 0x03, 0x0C, 0x00]
        ),
        Btsnoop.Record(
            microsecondsSince1970: 946_684_801_500_000,
            direction: .received,
            packet: [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
        ),
        Btsnoop.Record(
            microsecondsSince1970: 946_684_801_500_001,
            direction: .sent,
            packet: [0x02, 0x40, 0x00, 0x01, 0x00, 0xAA]
        ),
        Btsnoop.Record(
            microsecondsSince1970: 946_684_801_500_002,
            direction: .received,
            packet: [0x02, 0x40, 0x20, 0x00, 0x00]
        ),
    ]

    private static let file: [UInt8] = {
        let header = "6274736e6f6f7000" + "00000001" + "000003ea"
        let records = [
            "00000004" + "00000004" + "00000002" + "00000000" + "00e03ab44a676000" + "01030c00",
            "00000007" + "00000007" + "00000003" + "00000000" + "00e03ab44a7e4360"
                + "040e0401030c00",
            "00000006" + "00000006" + "00000000" + "00000000" + "00e03ab44a7e4361"
                + "0240000100aa",
            "00000005" + "00000005" + "00000001" + "00000000" + "00e03ab44a7e4362"
                + "0240200000",
        ]
        return [UInt8](hexadecimal: header + records.joined()) ?? []
    }()

    private func read(_ bytes: [UInt8], pieces: Int) throws -> [Btsnoop.Record] {
        var reader = BtsnoopReader()
        var records: [Btsnoop.Record] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            reader.append(bytes[start..<min(start + pieces, bytes.count)])
            while let record = try reader.next() { records.append(record) }
        }
        try reader.finish()
        return records
    }

    @Test("The writer produces the bytes that other tools read")
    func writes() {
        var bytes = Btsnoop.header
        for record in Self.records { Btsnoop.append(record, to: &bytes) }
        #expect(bytes.hexadecimal == Self.file.hexadecimal)
    }

    @Test(
        "The reader reads the writer's output in pieces of any size",
        arguments: [1, 2, 7, 24, 40, 1000]
    )
    func reads(pieces: Int) throws {
        #expect(try read(Self.file, pieces: pieces) == Self.records)
    }

    @Test("A truncated packet keeps its original length, and the dropped count is kept")
    func cutPacket() throws {
        var record = Self.records[0]
        record.originalLength = 300
        record.droppedBefore = 5
        var bytes = Btsnoop.header
        Btsnoop.append(record, to: &bytes)
        #expect(try read(bytes, pieces: bytes.count) == [record])
    }

    @Test("A log without packets is valid")
    func empty() throws {
        #expect(try read(Btsnoop.header, pieces: 3).isEmpty)
    }

    @Test("A file that is cut anywhere except between records is reported as torn")
    func truncations() throws {
        var ends: Set = [Btsnoop.headerLength]
        for record in Self.records {
            ends.insert((ends.max() ?? 0) + Btsnoop.recordHeaderLength + record.packet.count)
        }
        for length in 0..<Self.file.count {
            let bytes = Array(Self.file.prefix(length))
            if ends.contains(length) {
                #expect(throws: Never.self) { try read(bytes, pieces: 1000) }
            } else {
                let error = #expect(throws: BtsnoopError.self) { try read(bytes, pieces: 1000) }
                guard case .torn(let offset, let missing) = error else {
                    Issue.record("\(String(describing: error)) at \(length)")
                    continue
                }
                #expect(offset <= length && missing > 0)
            }
        }
    }

    @Test("The error for a torn record has its offset and the missing length")
    func tornOffset() {
        #expect(throws: BtsnoopError.torn(offset: 44, missing: 2)) {
            try read(Array(Self.file.prefix(44 + 29)), pieces: 1000)
        }
    }

    @Test(
        "Unsupported files are refused",
        arguments: [
            ("62747373", BtsnoopError.notBtsnoop),
            ("00", .notBtsnoop),
            ("6274736e6f6f7000" + "00000002" + "000003ea", .unsupportedVersion(2)),
            ("6274736e6f6f7000" + "00000001" + "000007d1", .unsupportedDatalink(2001)),
        ]
    )
    func refuses(digits: String, error: BtsnoopError) throws {
        let bytes = try #require([UInt8](hexadecimal: digits))
        #expect(throws: error) { try read(bytes, pieces: 1000) }
    }

    @Test("A record with too great a length is refused before its data arrives")
    func hugeRecord() {
        let header = Btsnoop.header
        for lengths in ["ffffffff" + "ffffffff", "00000003" + "00000004"] {
            let bytes =
                header + ([UInt8](hexadecimal: lengths) ?? []) + [UInt8](repeating: 0, count: 16)
            #expect(throws: BtsnoopError.malformedRecord(offset: 16)) {
                try read(bytes, pieces: 1000)
            }
        }
    }

    @Test("Random bytes never trap", arguments: RunSeed.seeds(1))
    func randomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<200, using: &generator)
            let noise = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            _ = try? read(noise, pieces: 13)
            _ = try? read(Btsnoop.header + noise, pieces: 13)
            var damaged = Self.file
            for _ in 0..<3 {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            _ = try? read(damaged, pieces: 13)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import Testing

@Suite("Encoding of a database record")
struct DatabaseEncodingTests {
    private func record(watched: Bool = true, hash: [UInt8]? = nil) throws -> DatabaseRecord {
        var lookup = Lookup(CachedAccessory.server(hash: hash))
        try lookup.request()
        var record = try #require(lookup.record)
        record.isWatched = watched
        record.announcedFeatures = 7
        return record
    }

    @Test("A record encodes to the specified bytes")
    func vector() throws {
        let service = GATT.Service(
            uuid: .init(0x180F),
            isPrimary: true,
            handle: .init(0x10),
            endHandle: .init(0x1F)
        )
        let characteristic = GATT.Characteristic(
            uuid: .init(0x2A19),
            handle: .init(0x12),
            valueHandle: .init(0x13),
            properties: [.read, .notify],
            endHandle: .init(0x14)
        )
        let database = GATT.Database(services: [
            .init(
                service: service,
                includes: [.init(handle: .init(0x11), service: service)],
                characteristics: [
                    .init(
                        characteristic: characteristic,
                        descriptors: [.init(uuid: Accessory.long, handle: .init(0x14))]
                    )
                ]
            )
        ])
        let hash = Array(1...16) as [UInt8]
        let record = DatabaseRecord(database: try #require(database), hash: hash)
        let expected =
            "01 00 00 10" + hash.hexadecimal + "0100 1000 1F00 01 02 0F18 0100 1100 1000"
            + "0100 1200 1300 1400 12 02 192A 0100 1400 10" + Accessory.long.attBytes.hexadecimal
        #expect(record.encode().hexadecimal == expected.filter { $0 != " " }.lowercased())
        #expect(try DatabaseRecord(parsing: record.encode()[...]) == record)
    }

    @Test("A record survives a round trip", arguments: [true, false], [CachedAccessory.hash, nil])
    func roundTrip(watched: Bool, hash: [UInt8]?) throws {
        let record = try record(watched: watched, hash: hash)
        #expect(record.hash == hash)
        #expect(try DatabaseRecord(parsing: record.encode()[...]) == record)
    }

    @Test("Every truncated record throws")
    func truncation() throws {
        let bytes = try record(hash: CachedAccessory.hash).encode()
        for count in 0..<bytes.count {
            #expect(throws: MalformedBytes.self) {
                try DatabaseRecord(parsing: bytes.prefix(count))
            }
        }
    }

    @Test("A record with additional bytes throws")
    func trailing() throws {
        let bytes = try record().encode()
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try DatabaseRecord(parsing: (bytes + [0])[...])
        }
    }

    @Test("A record of another version throws", arguments: [0, 2, 255] as [UInt8])
    func version(_ version: UInt8) throws {
        let bytes = [version] + (try record().encode().dropFirst())
        #expect(throws: MalformedBytes.invalid(field: "version")) {
            try DatabaseRecord(parsing: bytes[...])
        }
    }

    @Test(
        "A corrupted record never traps, and a record that decodes encodes to the same bytes",
        arguments: RunSeed.seeds(1)
    )
    func mutation(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bytes = try record(hash: CachedAccessory.hash).encode()
        var readable = 0
        for _ in 0..<20_000 {
            var mutated = bytes
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let index = Int.random(in: mutated.indices, using: &random)
                mutated[index] = UInt8.random(in: .min ... .max, using: &random)
            }
            guard let record = try? DatabaseRecord(parsing: mutated[...]) else { continue }
            readable += 1
            #expect(record.encode() == mutated)
        }
        #expect(readable > 0)
        for _ in 0..<20_000 {
            _ = try? DatabaseRecord(parsing: ([1] + random.bytes(upTo: 64))[...])
        }
    }
}

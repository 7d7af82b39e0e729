// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports
import LanyardTestSupport
import StoreTestSupport
import Testing

@testable import BluetoothHost

@Suite("Entries of the store")
struct RecordTests {
    private static let peer = SampleBonds.peer(1)

    private static let clientRecord: ClientRecord = {
        var clientRecord = ClientRecord()
        clientRecord.supportedFeatures = 1
        clientRecord.lastSignCounter = 77
        clientRecord.knownHash = [UInt8](repeating: 3, count: 16)
        clientRecord.configurations[AttributeHandle(9)] = .init(
            bits: 1,
            service: BluetoothUUID(0x1809),
            characteristic: BluetoothUUID(0x2A1C)
        )
        return clientRecord
    }()

    private static let application: ApplicationName = {
        guard let name = ApplicationName("restoration-1") else {
            preconditionFailure("The name of the record is invalid")
        }
        return name
    }()

    /// A sample of each kind, with the function that reads it.
    private static let samples: [(bytes: [UInt8], read: @Sendable ([UInt8]) throws -> Void)] = [
        (
            Pairing.LocalIdentity(
                address: SampleBonds.identity,
                resolvingKey: SampleBonds.resolvingKey
            ).encode(),
            { _ = try Pairing.LocalIdentity(parsing: $0) }
        ),
        (
            BondOrder([SampleBonds.peer(1), SampleBonds.identity]).encode(),
            { _ = try BondOrder(parsing: $0) }
        ),
        (
            SampleBonds.bond(1).encode(localIdentity: SampleBonds.identity),
            { _ = try Bond(parsing: $0, peer: peer) }
        ),
        (
            SignCounter(next: 5, reserved: 256).encode(for: peer),
            { _ = try SignCounter(parsing: $0, peer: peer) }
        ),
        (clientRecord.encode(for: peer), { _ = try ClientRecord(parsing: $0, peer: peer) }),
        (
            (GATT.Database(services: [])
                .map { DatabaseRecord(database: $0, hash: [UInt8](repeating: 1, count: 16)) })?
                .encode(for: peer) ?? [],
            { _ = try DatabaseRecord(parsing: $0, peer: peer) }
        ),
        (
            Record.encode(secret: SampleBonds.resolvingKey),
            { _ = try Record.decode(secret: $0) }
        ),
        (
            Record.encode([1, 2, 3], of: application),
            { _ = try Record.decode($0, of: application) }
        ),
    ]

    private func fault(
        _ bytes: [UInt8],
        _ read: ([UInt8]) throws -> Void
    ) -> RecordFault? {
        do {
            try read(bytes)
            return nil
        } catch {
            return error as? RecordFault
        }
    }

    @Test("An entry survives a round trip", arguments: 1...20)
    func roundTrip(_ generation: Int) throws {
        var bond = SampleBonds.bond(generation % 3, generation: generation)
        if generation.isMultiple(of: 2) { bond.name = nil }
        if generation.isMultiple(of: 3) { bond.peerKey = nil }
        if generation.isMultiple(of: 4) { bond.localKey = nil }
        if generation.isMultiple(of: 5) { bond.resolvingKey = nil }
        if generation.isMultiple(of: 6) { bond.peerSigningKey = nil }
        if generation.isMultiple(of: 7) { bond.localSigningKey = nil }
        let bytes = bond.encode(localIdentity: Self.peer)
        #expect(try Bond(parsing: bytes, peer: bond.peer) == bond)
        let counter = SignCounter(next: 300, reserved: 512)
        let read = try SignCounter(parsing: counter.encode(for: bond.peer), peer: bond.peer)
        #expect(read == SignCounter(next: 512, reserved: 512), "The unused numbers are skipped")
        #expect(
            try ClientRecord(parsing: Self.clientRecord.encode(for: bond.peer), peer: bond.peer)
                == Self.clientRecord
        )
        let order = BondOrder((0..<generation).map(SampleBonds.peer))
        #expect(try BondOrder(parsing: order.encode()) == order)
    }

    @Test("An entry has the documented form")
    func form() throws {
        let peer = DeviceAddress(value: 0x0102_0304_0506, kind: .public)
        let bytes = SignCounter(next: 0, reserved: 0x0A0B).encode(for: peer)
        #expect(
            Array(bytes.prefix(21)).hexadecimal == "4c4e594404010b00000000060504030201" + "0b0a0000"
        )
        #expect(bytes.count == 25)
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: []) == 0)
    }

    @Test("An entry with any flipped bit is refused", arguments: samples.indices)
    func bits(_ index: Int) {
        let (bytes, read) = Self.samples[index]
        #expect(fault(bytes, read) == nil)
        for bit in 0..<(8 * bytes.count) {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let expected: RecordFault = bit < 32 ? .foreign : .torn
            #expect(fault(changed, read) == expected, "bit \(bit)")
        }
    }

    @Test("An entry that is too short or too long is refused", arguments: samples.indices)
    func lengths(_ index: Int) {
        let (bytes, read) = Self.samples[index]
        for count in bytes.indices {
            #expect(fault(Array(bytes.prefix(count)), read) == .torn, "\(count) bytes")
            let zeros = [UInt8](repeating: 0, count: bytes.count - count)
            let expected: RecordFault = count < 4 ? .foreign : .torn
            // If the last bytes of the checksum are zero, the zeros complete the entry.
            if bytes.prefix(count) + zeros != bytes[...] {
                #expect(fault(bytes.prefix(count) + zeros, read) == expected)
            }
        }
        #expect(fault(bytes + [0], read) == .torn)
        #expect(fault(bytes + bytes, read) == .torn)
    }

    @Test(
        "An entry of a later version is distinguished from a damaged entry",
        arguments: samples.indices
    )
    func newer(_ index: Int) {
        let (bytes, read) = Self.samples[index]
        var later = Array(bytes.dropLast(4))
        later[5] = 9
        #expect(fault(Self.checked(later), read) == .newer(version: 9))
        #expect(fault(later + [0, 0, 0, 0], read) == .torn)
        later[5] = 0
        #expect(fault(Self.checked(later), read) == .malformed(.invalid(field: "version")))
    }

    @Test("An entry of another kind or of another peer is refused")
    func foreign() {
        for (index, sample) in Self.samples.enumerated() {
            for (other, reader) in Self.samples.enumerated() where other != index {
                #expect(fault(sample.bytes, reader.read) == .foreign)
            }
        }
        let bytes = SampleBonds.bond(2).encode(localIdentity: SampleBonds.identity)
        let misplaced = fault(bytes) { _ = try Bond(parsing: $0, peer: Self.peer) }
        #expect(misplaced == .malformed(.invalid(field: "peer")))
        #expect(fault(Array("#!/bin/sh\n".utf8), Self.samples[0].read) == .foreign)
    }

    @Test(
        "Reading an entry with random contents succeeds or fails as malformed, and never traps",
        arguments: RunSeed.seeds(1)
    )
    func randomContents(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for round in 0..<3_000 {
            let (bytes, read) = Self.samples[round % Self.samples.count]
            var changed = Array(bytes.dropLast(4))
            for _ in 0...(round % 3) {
                let index = Int.random(in: 10..<changed.count, using: &generator)
                changed[index] = UInt8(truncatingIfNeeded: generator.next())
            }
            if generator.happens(oneIn: 4) { changed += generator.bytes(upTo: 20) }
            changed.replaceSubrange(6..<10, with: Self.length(changed.count - 10))
            switch fault(Self.checked(changed), read) {
            case nil, .malformed: break
            case let other?: Issue.record("\(other)")
            }
            _ = fault(generator.bytes(upTo: 100), read)
        }
    }

    private static func checked(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(contentsOf: bytes)
        writer.write(CRC32.checksum(of: bytes))
        return writer.bytes
    }

    private static func length(_ count: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(UInt32(count))
        return writer.bytes
    }

    @Test("The name of an entry contains its kind and its peer")
    func names() throws {
        let names: [RecordName] = [
            .identity, .order, .bond(Self.peer), .counter(Self.peer), .client(Self.peer),
            .database(DeviceAddress(value: 0x0102_0304_0506, kind: .public)), .secret,
            .application(Self.application),
        ]
        let texts = [
            "identity", "order", "bond-random-c00000000001", "counter-random-c00000000001",
            "client-random-c00000000001", "database-public-010203040506", "secret",
            "application-restoration-1",
        ]
        #expect(names.map(\.key.description) == texts)
        #expect(names.map(\.key).compactMap(RecordName.init) == names)
        for text in [
            "bond", "bond-random", "bond-private-c00000000001", "bond-random-c0000000000",
            "bond-random-c00000000001-1", "identity-random-c00000000001", "notes.txt", "bond--",
            "bond-random-gggggggggggg", "-", "secret-random-c00000000001", "application",
            "application-", "application-a.b",
        ] {
            #expect(RecordName(try #require(StoreKey(text))) == nil, "\(text)")
        }
    }

    @Test("A received name is truncated between characters")
    func receivedName() {
        let fitting = String(repeating: "x", count: Bond.nameLimit - 1)
        #expect(Bond.storedName(fitting + "ü") == fitting)
        #expect(Bond.storedName(fitting + "y") == fitting + "y")
    }

    @Test("A name that is too long is truncated between characters")
    func longName() throws {
        var bond = SampleBonds.bond(1)
        bond.name = String(repeating: "ü", count: 200)
        let bytes = bond.encode(localIdentity: SampleBonds.identity)
        let name = try Bond(parsing: bytes, peer: bond.peer).name
        #expect(name == String(repeating: "ü", count: Bond.nameLimit / 2))
    }
}

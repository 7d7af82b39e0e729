// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

@Suite("Out-of-band data")
struct OutOfBandDataTests {
    @Test(
        "The confirmation matches the public key of the later pairing",
        arguments: RunSeed.seeds(10)
    )
    func confirms(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let local = try #require(Pairing.LocalOutOfBandData.make(using: &generator))
        let x = try #require(local.keyPair).publicKey.x
        let random = try #require(SMP.Value128(local.data.random ?? []))
        #expect(local.data.confirmation == SMP.Toolbox.f4(x, x, random, 0).bytes)
        #expect(local.data.temporaryKey == nil)
    }

    @Test("Each call makes entirely new data", arguments: RunSeed.seeds(1))
    func fresh(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let made = try (0..<20).map { _ in
            try #require(
                Pairing.LocalOutOfBandData.make(forLegacyPairing: true, using: &generator)
            )
        }
        #expect(Set(made.map(\.privateKey)).count == 20)
        #expect(Set(made.map(\.data.random)).count == 20)
        #expect(Set(made.map(\.data.temporaryKey)).count == 20)
        #expect(made.allSatisfy { $0.data.temporaryKey?.count == 16 })
    }

    @Test("Printed data does not disclose secrets")
    func prints() throws {
        var generator = SplitMix64(seed: 7)
        let made = try #require(
            Pairing.LocalOutOfBandData.make(forLegacyPairing: true, using: &generator)
        )
        #expect("\(made)" == "(confirmation, random, temporary key)")
        #expect("\(Pairing.OutOfBandData())" == "()")
    }

    @Test("Parts that do not have 16 bytes are refused", arguments: [0, 1, 15, 17, 32])
    func lengths(count: Int) {
        let whole = [UInt8](repeating: 7, count: 16)
        let other = [UInt8](repeating: 7, count: count)
        #expect(throws: Pairing.OutOfBandData.Flaw.wrongLength) {
            try Pairing.OutOfBandData(temporaryKey: other)
        }
        #expect(throws: Pairing.OutOfBandData.Flaw.wrongLength) {
            try Pairing.OutOfBandData(confirmation: other, random: whole)
        }
        #expect(throws: Pairing.OutOfBandData.Flaw.wrongLength) {
            try Pairing.OutOfBandData(confirmation: whole, random: other)
        }
    }

    @Test("The confirmation and the random number are both present or both absent")
    func pairs() {
        let bytes = [UInt8](repeating: 7, count: 16)
        #expect(throws: Pairing.OutOfBandData.Flaw.incomplete) {
            try Pairing.OutOfBandData(confirmation: bytes)
        }
        #expect(throws: Pairing.OutOfBandData.Flaw.incomplete) {
            try Pairing.OutOfBandData(random: bytes, temporaryKey: bytes)
        }
    }
}

@Suite("Out-of-band data on a tag")
struct OutOfBandTagTests {
    static let bytes = [UInt8](0..<16)
    let whole: Pairing.OutOfBandTag
    /// Types 0x1B, 0x1C, 0x10, 0x22, 0x23 (Assigned Numbers, 2.3).
    let encoded =
        "081b030201eeffc001" + "021c02" + "1110808182838485868788898a8b8c8d8e8f"
        + "1122000102030405060708090a0b0c0d0e0f" + "11230f0e0d0c0b0a09080706050403020100"

    init() throws {
        whole = Pairing.OutOfBandTag(
            address: DeviceAddress(value: 0xC0FF_EE01_0203, kind: .random),
            role: .ratherPeripheral,
            data: try Pairing.OutOfBandData(
                confirmation: Self.bytes,
                random: Self.bytes.reversed(),
                temporaryKey: Self.bytes.map { $0 | 0x80 }
            )
        )
    }

    @Test("A tag has the structures of the Core Specification Supplement")
    func encodes() {
        #expect(whole.encode().hexadecimal == encoded)
    }

    @Test("A tag decodes to the value that was encoded")
    func decodes() throws {
        #expect(try Pairing.OutOfBandTag(parsing: encoded.bytes[...]) == whole)
    }

    @Test("Absent parts are neither encoded nor decoded")
    func parts() throws {
        let tag = Pairing.OutOfBandTag(
            data: try Pairing.OutOfBandData(temporaryKey: Self.bytes)
        )
        #expect(tag.encode().count == 18)
        #expect(try Pairing.OutOfBandTag(parsing: tag.encode()[...]) == tag)
        let nothing = try Pairing.OutOfBandTag(parsing: [])
        #expect(nothing == Pairing.OutOfBandTag(data: Pairing.OutOfBandData()))
    }

    @Test("Structures of other types and empty structures are ignored")
    func others() throws {
        let bytes = "020106".bytes + encoded.bytes + "00".bytes + "0309414200".bytes
        #expect(try Pairing.OutOfBandTag(parsing: bytes[...]) == whole)
    }

    @Test("A tag that is truncated within a structure is refused")
    func truncation() {
        // The ends of structures, at which a shortened tag is valid. The end of the confirmation is
        // not among them, because a confirmation without a random number is refused.
        let ends: Set = [0, 9, 12, 30]
        for count in 0..<encoded.bytes.count where !ends.contains(count) {
            #expect(throws: MalformedBytes.self) {
                try Pairing.OutOfBandTag(parsing: encoded.bytes.prefix(count))
            }
        }
    }

    @Test(
        "A structure with a wrong length or an undefined value, or a second one, is refused",
        arguments: [
            "0222ff", "1222000102030405060708090a0b0c0d0e0f10", "021c04", "031c0000",
            "091b030201eeffc00100", "021c01021c01", "0110",
        ]
    )
    func malformed(text: String) {
        #expect(throws: MalformedBytes.self) {
            try Pairing.OutOfBandTag(parsing: text.bytes[...])
        }
    }

    @Test("Random bytes never trap", arguments: RunSeed.seeds(1))
    func noise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<10_000 {
            let bytes = generator.bytes(upTo: 60)
            _ = try? Pairing.OutOfBandTag(parsing: bytes[...])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes
import LanyardTestSupport
import Testing

@Suite("Encoding of client records")
struct ClientRecordTests {
    static func configuration(_ bits: UInt16) -> ClientRecord.Configuration {
        .init(
            bits: bits,
            service: BluetoothUUID(0x180D),
            characteristic: BluetoothUUID(0x2A37)
        )
    }

    static let whole: ClientRecord = {
        var clientRecord = ClientRecord()
        clientRecord.supportedFeatures = 5
        clientRecord.knownHash = [UInt8](0..<16)
        clientRecord.lastSignCounter = 0x0403_0201
        clientRecord.configurations[AttributeHandle(0x0200)] = configuration(2)
        clientRecord.configurations[AttributeHandle(0x0010)] = configuration(1)
        return clientRecord
    }()

    @Test("An empty record has three bytes")
    func empty() throws {
        #expect(ClientRecord().encode() == [1, 0, 0])
        #expect(try ClientRecord(parsing: [1, 0, 0]) == ClientRecord())
    }

    @Test("A full record contains its configurations in the order of their handles")
    func vector() throws {
        let service = BluetoothUUID(0x180D).bytes128
        let characteristic = BluetoothUUID(0x2A37).bytes128
        let start: [UInt8] = [1, 3, 5] + [UInt8](0..<16) + [1, 2, 3, 4]
        let expected: [UInt8] =
            start + [0x10, 0x00, 1, 0] + service + characteristic
            + [0x00, 0x02, 2, 0] + service + characteristic
        #expect(Self.whole.encode() == expected)
        #expect(try ClientRecord(parsing: expected) == Self.whole)
    }

    @Test("Every truncation throws, except at the start of a configuration")
    func truncation() {
        let bytes = Self.whole.encode()
        let boundaries = [bytes.count - 36, bytes.count - 72]
        for count in 0..<bytes.count where !boundaries.contains(count) {
            #expect(throws: MalformedBytes.self, "\(count)") {
                try ClientRecord(parsing: Array(bytes.prefix(count)))
            }
        }
    }

    @Test(
        "Bytes that are the encoding of no record are refused",
        arguments: [
            [], [0, 0, 0], [2, 0, 0], [1, 4, 0], [1, 0x80, 0], [1, 0, 0, 1], [1, 1, 0, 1],
            [1, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 1, count: 32),
            [1, 0, 0, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 32),
        ] as [[UInt8]]
    )
    func malformed(_ bytes: [UInt8]) {
        #expect(throws: MalformedBytes.self) { try ClientRecord(parsing: bytes) }
    }

    @Test("Handles that do not ascend are refused")
    func order() {
        let one: [UInt8] = [9, 0, 1, 0] + [UInt8](repeating: 1, count: 32)
        #expect(throws: MalformedBytes.invalid(field: "handle")) {
            try ClientRecord(parsing: [1, 0, 0] + one + one)
        }
    }

    @Test(
        "Random bytes are refused, or encode to the same bytes",
        arguments: RunSeed.seeds(1)
    )
    func randomBytes(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for round in 0..<20_000 {
            var bytes = generator.bytes(upTo: 120)
            if round.isMultiple(of: 2), bytes.count > 1 { (bytes[0], bytes[1]) = (1, bytes[1] & 3) }
            guard let clientRecord = try? ClientRecord(parsing: bytes) else { continue }
            #expect(clientRecord.encode() == bytes)
        }
    }

    @Test("A changed byte never traps", arguments: RunSeed.seeds(1))
    func mutations(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let bytes = Self.whole.encode()
        for _ in 0..<20_000 {
            var changed = bytes
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            changed[index] = UInt8.random(in: 0...255, using: &generator)
            guard let clientRecord = try? ClientRecord(parsing: changed) else { continue }
            #expect(clientRecord.encode() == changed)
        }
    }
}

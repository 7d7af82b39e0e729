// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothATT

@Suite("ATT PDUs")
struct PDUCodecTests {
    @Test("A PDU encodes to the bytes that another implementation writes", arguments: PDUVector.all)
    func encodes(_ vector: PDUVector) {
        #expect(vector.pdu.encode().hexadecimal == vector.hexadecimal)
    }

    @Test(
        "A PDU decodes from the bytes that another implementation writes",
        arguments: PDUVector.all
    )
    func decodes(_ vector: PDUVector) throws {
        #expect(try ATT.PDU(parsing: vector.bytes[...]) == vector.pdu)
    }

    @Test("A PDU decodes from the middle of a buffer", arguments: PDUVector.all)
    func decodesSlices(_ vector: PDUVector) throws {
        let buffer = [0xAA, 0xBB, 0xCC] + vector.bytes + [0xDD]
        #expect(try ATT.PDU(parsing: buffer[3..<buffer.count - 1]) == vector.pdu)
    }

    @Test("A truncated PDU is refused, unless it is a valid shorter PDU", arguments: PDUVector.all)
    func refusesTruncation(_ vector: PDUVector) throws {
        for count in 0..<vector.bytes.count {
            let prefix = vector.bytes.prefix(count)
            guard vector.lengths.allow(count, asIn: vector) else {
                #expect(throws: MalformedBytes.self) { try ATT.PDU(parsing: prefix) }
                continue
            }
            // `lengths` allows a 128-bit UUID to be cut to any even length. Only the prefix of
            // seven bytes is valid, because its last two bytes are a 16-bit UUID.
            guard vector.pdu.opcode != .readByTypeRequest || count == 7 else { continue }
            #expect(try ATT.PDU(parsing: prefix).encode() == Array(prefix))
        }
    }

    @Test(
        "An additional byte is refused, unless it can belong to the PDU",
        arguments: PDUVector.all
    )
    func refusesTrailingBytes(_ vector: PDUVector) {
        let longer = vector.bytes + [0x00]
        if vector.lengths.allow(longer.count, asIn: vector) { return }
        #expect(throws: MalformedBytes.self) { try ATT.PDU(parsing: longer[...]) }
    }

    @Test("Each opcode has a name, and each except Read Multiple Variable Response has a vector")
    func coversEveryOpcode() {
        let covered = Set(PDUVector.all.map(\.pdu.opcode.rawValue))
        #expect(covered.union([0x21]) == Set(ATT.Opcode.names.keys))
        for vector in PDUVector.all { #expect(vector.pdu.opcode.rawValue == vector.bytes[0]) }
    }

    @Test("An unknown PDU is kept unchanged")
    func keepsUnknown() throws {
        let pdu = try ATT.PDU(parsing: [0x7F, 0x01, 0x02])
        #expect(pdu == .unknown(opcode: .init(rawValue: 0x7F), parameters: [0x01, 0x02]))
        #expect(pdu.opcode.description == "0x7F")
        #expect(pdu.encode() == [0x7F, 0x01, 0x02])
    }

    @Test("An empty PDU is refused")
    func refusesEmpty() {
        #expect(throws: MalformedBytes.truncated(needed: 1, available: 0)) {
            try ATT.PDU(parsing: [])
        }
    }

    @Test(
        "Random bytes never trap, and a decoded PDU encodes to the same bytes",
        arguments: RunSeed.seeds(8)
    )
    func survivesRandomBytes(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let opcodes = ATT.Opcode.names.keys.sorted()
        for _ in 0..<5000 {
            var bytes = generator.bytes(Int.random(in: 0...48, using: &generator))
            if Bool.random(using: &generator), !bytes.isEmpty {
                bytes[0] = opcodes.randomElement(using: &generator) ?? 0
            }
            guard let pdu = try? ATT.PDU(parsing: bytes[...]) else { continue }
            let again = pdu.encode()
            // An incomplete length at the end of a Read Multiple Variable Response is dropped.
            #expect(again == bytes || pdu.opcode == .readMultipleVariableResponse)
            #expect(try ATT.PDU(parsing: again[...]) == pdu)
        }
    }
}

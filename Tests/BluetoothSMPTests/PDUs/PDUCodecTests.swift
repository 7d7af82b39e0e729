// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothSMP

@Suite("SMP PDUs")
struct PDUCodecTests {
    @Test("A PDU encodes as in the figures of the specification", arguments: PDUVector.all)
    func encodes(_ vector: PDUVector) {
        #expect(vector.pdu.encode().hexadecimal == vector.hexadecimal)
    }

    @Test("A PDU decodes as in the figures of the specification", arguments: PDUVector.all)
    func decodes(_ vector: PDUVector) throws {
        #expect(try SMP.PDU(parsing: vector.bytes[...]) == vector.pdu)
    }

    @Test("A PDU decodes from the middle of a buffer", arguments: PDUVector.all)
    func decodesSlices(_ vector: PDUVector) throws {
        let buffer = [0xAA, 0xBB, 0xCC] + vector.bytes + [0xDD]
        #expect(try SMP.PDU(parsing: buffer[3..<buffer.count - 1]) == vector.pdu)
    }

    @Test("A truncated PDU is refused at every length", arguments: PDUVector.all)
    func refusesTruncation(_ vector: PDUVector) {
        for count in 0..<vector.bytes.count {
            #expect(throws: MalformedBytes.self) {
                try SMP.PDU(parsing: vector.bytes.prefix(count))
            }
        }
    }

    @Test("Additional bytes are refused", arguments: PDUVector.all, [1, 2, 16, 190])
    func refusesTrailingBytes(_ vector: PDUVector, count: Int) {
        let longer = vector.bytes + [UInt8](repeating: 0, count: count)
        #expect(throws: MalformedBytes.trailing(count: count)) {
            try SMP.PDU(parsing: longer[...])
        }
    }

    @Test("Each code has a vector and a name, and its PDU returns the code")
    func coversEveryCode() {
        #expect(Set(PDUVector.all.map(\.pdu.code.rawValue)) == Set(SMP.Code.names.keys))
        for vector in PDUVector.all { #expect(vector.pdu.code.rawValue == vector.bytes[0]) }
        #expect(PDUVector.all.map(\.bytes.count).max() == SMP.PDU.lengthLimit)
    }

    @Test(
        "A code without a name is unknown rather than malformed",
        arguments: [0x00] + Array(0x0F...0xFF as ClosedRange<UInt8>),
        [0, 1, 6, 64]
    )
    func unknown(code: UInt8, count: Int) throws {
        let bytes = [code] + [UInt8](repeating: 0x5A, count: count)
        let pdu = try SMP.PDU(parsing: bytes[...])
        #expect(pdu == .unknown(SMP.Code(rawValue: code)))
        #expect(pdu.code.rawValue == code)
    }

    @Test("An empty PDU is malformed")
    func empty() {
        #expect(throws: MalformedBytes.truncated(needed: 1, available: 0)) {
            try SMP.PDU(parsing: [])
        }
    }

    @Test(
        "An undefined keypress is malformed",
        arguments: Array(5...255 as ClosedRange<UInt8>)
    )
    func keypress(byte: UInt8) {
        #expect(throws: MalformedBytes.invalid(field: "keypress notification type")) {
            try SMP.PDU(parsing: [0x0E, byte])
        }
    }

    @Test(
        "An address that is neither public nor random is malformed",
        arguments: [0x02, 0x80, 0xFF]
    )
    func addressKind(byte: UInt8) {
        let bytes = [0x09, byte] + [UInt8](repeating: 0x11, count: 6)
        #expect(throws: MalformedBytes.invalid(field: "identity address type")) {
            try SMP.PDU(parsing: bytes[...])
        }
    }

    @Test(
        "Random bytes never trap, and a decoded PDU encodes to the same bytes",
        arguments: RunSeed.seeds(8)
    )
    func noise(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<5_000 {
            var bytes = generator.bytes(upTo: 80)
            if !bytes.isEmpty, generator.happens(oneIn: 2) { bytes[0] %= 0x10 }
            guard let pdu = try? SMP.PDU(parsing: bytes[...]) else { continue }
            if case .unknown = pdu { continue }
            #expect(pdu.encode() == bytes)
        }
    }

    @Test("A printed PDU does not disclose secrets")
    func secrets() {
        let key = HCI.Key128(PDUVector.value)
        for pdu in [
            SMP.PDU.encryptionInformation(key), .identityInformation(key), .signingInformation(key),
        ] { #expect(!"\(pdu)".contains("0102")) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import DBus

@Suite struct DBusReaderTests {
    /// A value with its bytes in both byte orders.
    struct Vector: Sendable, CustomTestStringConvertible {
        let value: DBusValue
        let little: String
        let big: String
        var testDescription: String { "\(value)" }
    }

    static let vectors: [Vector] = [
        Vector(value: .byte(0x7F), little: "7F", big: "7F"),
        Vector(value: .boolean(true), little: "01000000", big: "00000001"),
        Vector(value: .int16(-2), little: "FEFF", big: "FFFE"),
        Vector(value: .uint32(0x0102_0304), little: "04030201", big: "01020304"),
        Vector(value: .int64(-1), little: "FFFFFFFFFFFFFFFF", big: "FFFFFFFFFFFFFFFF"),
        Vector(value: .double(1), little: "000000000000F03F", big: "3FF0000000000000"),
        Vector(value: .string("foo"), little: "03000000 666F6F 00", big: "00000003 666F6F 00"),
        Vector(
            value: .signature(DBusSignature([.array(.byte)])),
            little: "02 6179 00",
            big: "02 6179 00"
        ),
        Vector(value: .bytes([1, 2]), little: "02000000 0102", big: "00000002 0102"),
        Vector(
            value: .array(.int64, [.int64(5)]),
            little: "08000000 00000000 0500000000000000",
            big: "00000008 00000000 0000000000000005"
        ),
        Vector(value: .array(.int64, []), little: "00000000 00000000", big: "00000000 00000000"),
        Vector(
            value: .structure([.byte(1), .uint16(2)]),
            little: "01 00 0200",
            big: "01 00 0002"
        ),
        Vector(
            value: .variant(.uint32(7)),
            little: "01 75 00 00 07000000",
            big: "01 75 00 00 00000007"
        ),
        Vector(
            value: .dictionary(.string, .variant, [.init(.string("a"), .variant(.byte(9)))]),
            little: "0A000000 00000000 01000000 61 00 01 79 00 09",
            big: "0000000A 00000000 00000001 61 00 01 79 00 09"
        ),
    ]

    private static func read(
        _ type: DBusType,
        _ bytes: [UInt8],
        isBigEndian: Bool = false
    ) throws -> DBusValue? {
        var reader = DBusReader(bytes[...], isBigEndian: isBigEndian)
        return try reader.readAll(DBusSignature([type])).first
    }

    @Test("A value has its bytes in both byte orders", arguments: vectors)
    func vector(_ vector: Vector) throws {
        let little = [UInt8](Data(hex: vector.little))
        var writer = DBusWriter()
        writer.write(vector.value)
        #expect(writer.bytes == little)
        #expect(try Self.read(vector.value.type, little) == vector.value)
        let big = [UInt8](Data(hex: vector.big))
        #expect(try Self.read(vector.value.type, big, isBigEndian: true) == vector.value)
    }

    @Test("Every truncation and a trailing byte are refused", arguments: vectors)
    func truncation(_ vector: Vector) {
        let bytes = [UInt8](Data(hex: vector.little))
        for count in 0..<bytes.count {
            #expect(throws: MalformedBytes.self) {
                try Self.read(vector.value.type, Array(bytes.prefix(count)))
            }
        }
        #expect(throws: MalformedBytes.trailing(count: 1)) {
            try Self.read(vector.value.type, bytes + [0])
        }
    }

    @Test(
        "Bytes that the specification forbids are refused",
        arguments: [
            (DBusType.boolean, "02000000"),
            // A string with a zero byte, without the zero at its end, and with invalid UTF-8.
            (.string, "02000000 6100 00"), (.string, "01000000 61 62"), (.string, "01000000 FF 00"),
            (.objectPath, "02000000 2F2F 00"), (.objectPath, "01000000 61 00"),
            (.signature, "01 7A 00"), (.signature, "01 61 00"), (.signature, "02 2829 00"),
            (.variant, "00 00"), (.variant, "02 7979 00 0101"),
            // Padding that is not zero.
            (.structure([.byte, .uint16]), "01 05 0200"),
            // An array that is longer than its bytes, or than the specification permits.
            (.array(.uint32), "08000000 01000000"), (.array(.byte), "01000004 00"),
            // An array that ends within its last element.
            (.array(.uint32), "06000000 01000000 0200"),
        ]
    )
    func forbidden(_ type: DBusType, _ bytes: String) {
        #expect(throws: MalformedBytes.self) {
            try Self.read(type, [UInt8](Data(hex: bytes)))
        }
    }

    @Test("Variants within variants are limited to 64 levels")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            var writer = DBusWriter()
            writer.write((0..<levels).reduce(.byte(1)) { value, _ in .variant(value) })
            return writer.bytes
        }
        #expect(try Self.read(.variant, nested(64)) != nil)
        #expect(throws: MalformedBytes.invalid(field: "depth of containers")) {
            try Self.read(.variant, nested(65))
        }
    }

    @Test("Signatures are limited in length and depth")
    func signatures() throws {
        let arrays = String(repeating: "a", count: 32)
        #expect(try DBusSignature(parsing: arrays + "y").types.count == 1)
        #expect(throws: MalformedBytes.self) { try DBusSignature(parsing: "a" + arrays + "y") }
        let open = String(repeating: "(", count: 33)
        let close = String(repeating: ")", count: 33)
        #expect(throws: MalformedBytes.self) { try DBusSignature(parsing: open + "y" + close) }
        #expect(try DBusSignature(parsing: String(repeating: "y", count: 255)).types.count == 255)
        #expect(throws: MalformedBytes.self) {
            try DBusSignature(parsing: String(repeating: "y", count: 256))
        }
        for text in ["a{vs}", "a{s}", "a{sss}", "{ss}", "a{ss", "(y", "y)", "a{(y)s}"] {
            #expect(throws: MalformedBytes.self, "\(text)") { try DBusSignature(parsing: text) }
        }
    }

    @Test("A message has a limited number of values")
    func numberOfValues() {
        // Each structure counts with its members.
        let members = DBusType.structure(Array(repeating: .byte, count: 8))
        let length = UInt32(DBusLimits.valuesPerMessage)
        var writer = DBusWriter()
        writer.writeInteger(length)
        writer.align(to: 8)
        let bytes = writer.bytes + [UInt8](repeating: 0, count: Int(length))
        #expect(throws: MalformedBytes.invalid(field: "number of values")) {
            try Self.read(.array(members), bytes)
        }
    }

    @Test("Random values are read as they were written", arguments: RunSeed.seeds(8))
    func roundTrips(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let value = RandomValue.make(depth: 0, using: &random)
            var writer = DBusWriter()
            writer.write(value)
            #expect(try Self.read(value.type, writer.bytes) == value)
        }
    }
}

/// Random values of random types.
enum RandomValue {
    static func make(depth: Int, using random: inout SplitMix64) -> DBusValue {
        switch Int.random(in: 0..<(depth < 3 ? 16 : 12), using: &random) {
        case 0: return .byte(UInt8.random(in: .min ... .max, using: &random))
        case 1: return .boolean(Bool.random(using: &random))
        case 2: return .int16(Int16.random(in: .min ... .max, using: &random))
        case 3: return .uint16(UInt16.random(in: .min ... .max, using: &random))
        case 4: return .int32(Int32.random(in: .min ... .max, using: &random))
        case 5: return .uint32(UInt32.random(in: .min ... .max, using: &random))
        case 6: return .int64(Int64.random(in: .min ... .max, using: &random))
        case 7: return .uint64(UInt64.random(in: .min ... .max, using: &random))
        case 8: return .string(String(repeating: "é", count: Int.random(in: 0..<9, using: &random)))
        case 9: return .double(Double.random(in: -9...9, using: &random))
        case 10: return .bytes(random.bytes(upTo: 20))
        case 11: return .unixFD(UInt32.random(in: 0..<4, using: &random))
        case 12: return .variant(make(depth: depth + 1, using: &random))
        case 13:
            return .structure(
                (0...Int.random(in: 0..<4, using: &random)).map { _ in
                    make(depth: depth + 1, using: &random)
                }
            )
        case 14:
            let element = make(depth: depth + 1, using: &random)
            guard element.type != .byte else { return element }
            let count = Int.random(in: 0..<4, using: &random)
            return .array(element.type, Array(repeating: element, count: count))
        default:
            let value = make(depth: depth + 1, using: &random)
            let keys = 0..<UInt16.random(in: 0..<4, using: &random)
            return .dictionary(.uint16, value.type, keys.map { .init(.uint16($0), value) })
        }
    }
}

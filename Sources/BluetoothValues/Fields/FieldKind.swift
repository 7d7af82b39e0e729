// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation

/// The encoding of a field in the bytes of a characteristic's value. Numbers are little-endian.
enum FieldKind: Hashable, Sendable {
    /// An unsigned integer of this many bytes.
    case unsigned(Int)
    /// A signed integer of this many bytes.
    case signed(Int)
    /// An unsigned integer of this many bytes. Only the numbers in `FieldLayout.meanings` are
    /// valid.
    case enumeration(Int)
    /// Bits with meanings (`FieldLayout.parts`), in this many bytes.
    case bits(Int)
    /// Flags that show which other fields are present, in this many bytes.
    case presence(Int)
    /// Integers up to the end of the value, each of this many bytes.
    case list(bytes: Int, isSigned: Bool)
    /// A decimal floating-point number of IEEE 11073 (`MedicalNumber`), of 2 bytes (medfloat16) or
    /// 4 bytes (medfloat32).
    case medfloat(Int)
    /// A single-precision floating-point number of IEEE 754 (float32).
    case float32
    /// A UTF-8 text of this many bytes, with zero bytes after a shorter text; `nil` for a text up
    /// to the end of the value.
    case text(Int?)
    /// A UTF-8 text that ends with a zero byte.
    case terminatedText
    /// A date with the time of day.
    case date
    /// A UUID of 2 or 16 bytes.
    case uuid
    /// This many bytes without a layout; `nil` for all bytes up to the end of the value.
    case bytes(Int?)

    var isBits: Bool {
        switch self {
        case .bits, .presence: true
        default: false
        }
    }

    var isPresenceFlags: Bool {
        if case .presence = self { true } else { false }
    }

    var isEnumeration: Bool {
        if case .enumeration = self { true } else { false }
    }

    /// The integers that fit in the bytes; `0...0` if the field does not contain integers.
    var range: ClosedRange<Int64> {
        switch self {
        case .signed(let bytes), .list(let bytes, true):
            -(1 << (bytes * 8 - 1))...(1 << (bytes * 8 - 1) - 1)
        case .unsigned(let bytes), .enumeration(let bytes), .bits(let bytes), .presence(let bytes),
            .list(let bytes, false):
            0...(1 << (bytes * 8) - 1)
        default: 0...0
        }
    }

    func decode(from reader: inout ValueReader, field: String) throws(ValueError) -> FieldContent {
        switch self {
        case .unsigned(let bytes), .enumeration(let bytes), .bits(let bytes), .presence(let bytes):
            return .integer(Int64(try reader.readInteger(bytes: bytes)))
        case .signed(let bytes): return .integer(try Self.signed(bytes, from: &reader))
        case .list(let bytes, let isSigned):
            var numbers: [Int64] = []
            while !reader.isAtEnd {
                numbers.append(
                    isSigned
                        ? try Self.signed(bytes, from: &reader)
                        : Int64(try reader.readInteger(bytes: bytes))
                )
            }
            return .list(numbers)
        case .medfloat(2):
            return .medfloat(try ShortMedicalFloat(bits: reader.readUInt16(), field: field).number)
        case .medfloat:
            return .medfloat(try MedicalFloat(bits: reader.readUInt32(), field: field).number)
        case .float32: return .float32(Float(bitPattern: try reader.readUInt32()))
        case .text(let count): return .text(try Self.text(count, from: &reader, field: field))
        case .terminatedText: return .text(try Self.terminated(from: &reader, field: field))
        case .date: return .date(try DateTime(from: &reader))
        case .uuid: return .bytes(try Self.uuid(from: &reader))
        case .bytes(let count): return .bytes(try Self.bytes(count, from: &reader))
        }
    }

    func encode(
        _ content: FieldContent,
        to writer: inout ValueWriter,
        field: String
    ) throws(ValueError) {
        switch (self, content) {
        case (.unsigned(let bytes), .integer(let number)),
            (.signed(let bytes), .integer(let number)),
            (.enumeration(let bytes), .integer(let number)),
            (.bits(let bytes), .integer(let number)),
            (.presence(let bytes), .integer(let number)):
            guard range.contains(number) else { throw .invalid(field: field) }
            writer.write(UInt64(bitPattern: number), bytes: bytes)
        case (.list(let bytes, _), .list(let numbers)):
            guard numbers.allSatisfy(range.contains) else { throw .invalid(field: field) }
            for number in numbers { writer.write(UInt64(bitPattern: number), bytes: bytes) }
        case (.medfloat(2), .medfloat(let number)): writer.write(try ShortMedicalFloat(number).bits)
        case (.medfloat, .medfloat(let number)): writer.write(try MedicalFloat(number).bits)
        case (.float32, .float32(let number)): writer.write(number.bitPattern)
        case (.text(let count), .text(let text)):
            var data = Data(text.utf8)
            guard data.count <= count ?? .max else { throw .invalid(field: field) }
            if let count { data.append(Data(count: count - data.count)) }
            writer.append(contentsOf: data)
        case (.terminatedText, .text(let text)):
            guard !text.utf8.contains(0) else { throw .invalid(field: field) }
            writer.append(contentsOf: Data(text.utf8) + [0])
        case (.date, .date(let date)): date.write(to: &writer)
        case (.uuid, .bytes(let data)) where data.count == 2 || data.count == 16:
            writer.append(contentsOf: data)
        case (.bytes(let count), .bytes(let data)) where data.count == count ?? data.count:
            writer.append(contentsOf: data)
        default: throw .invalid(field: field)
        }
    }
}

extension FieldKind {
    private static func signed(
        _ bytes: Int,
        from reader: inout ValueReader
    ) throws(ValueError) -> Int64 {
        let shift = Int64.bitWidth - bytes * 8
        return Int64(bitPattern: try reader.readInteger(bytes: bytes) << shift) >> shift
    }

    private static func bytes(
        _ count: Int?,
        from reader: inout ValueReader
    ) throws(ValueError) -> Data {
        guard let count else { return reader.readRemaining() }
        guard reader.remaining >= count else {
            throw .truncated(needed: count, available: reader.remaining)
        }
        var data = Data()
        for _ in 0..<count { data.append(try reader.readUInt8()) }
        return data
    }

    /// Reads a UUID. It has 2 bytes if at most 2 bytes remain, and otherwise 16 bytes.
    private static func uuid(from reader: inout ValueReader) throws(ValueError) -> Data {
        let available = reader.remaining
        let count = available > 2 ? 16 : 2
        return try bytes(count, from: &reader)
    }

    private static func text(
        _ count: Int?,
        from reader: inout ValueReader,
        field: String
    ) throws(ValueError) -> String {
        var data = try bytes(count, from: &reader)
        if count != nil { while data.last == 0 { data.removeLast() } }
        return try text(data, field: field)
    }

    private static func terminated(
        from reader: inout ValueReader,
        field: String
    ) throws(ValueError) -> String {
        var data = Data()
        while true {
            let byte = try reader.readUInt8()
            if byte == 0 { return try text(data, field: field) }
            data.append(byte)
        }
    }

    private static func text(_ data: Data, field: String) throws(ValueError) -> String {
        guard let text = String(utf8: data) else {
            throw .invalid(field: field)
        }
        return text
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// A reader of values in either byte order, which checks every bound ("Marshaling (Wire Format)").
///
/// Positions count from the first byte of `bytes`. The alignment of values counts from the start of
/// the message, so this byte must be at a multiple of 8 bytes in the message.
struct DBusReader {
    private let bytes: ArraySlice<UInt8>
    private let isBigEndian: Bool
    private var position = 0
    /// The end of the innermost array, or of the bytes.
    private var end: Int
    private var depth = 0
    private var valuesLeft = DBusLimits.valuesPerMessage

    init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
        end = bytes.count
    }

    /// Reads one value of each type of a signature, and checks that no bytes remain.
    mutating func readAll(_ signature: DBusSignature) throws(MalformedBytes) -> [DBusValue] {
        var values: [DBusValue] = []
        for type in signature.types { values.append(try read(type)) }
        guard position == bytes.count else { throw .trailing(count: bytes.count - position) }
        return values
    }

    mutating func read(_ type: DBusType) throws(MalformedBytes) -> DBusValue {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw .invalid(field: "number of values") }
        switch type {
        case .byte: return .byte(UInt8(truncatingIfNeeded: try readInteger(1)))
        case .boolean: return .boolean(try readBoolean())
        case .int16: return .int16(Int16(truncatingIfNeeded: try readInteger(2)))
        case .uint16: return .uint16(UInt16(truncatingIfNeeded: try readInteger(2)))
        case .int32: return .int32(Int32(truncatingIfNeeded: try readInteger(4)))
        case .uint32: return .uint32(try readUInt32())
        case .int64: return .int64(Int64(bitPattern: try readInteger(8)))
        case .uint64: return .uint64(try readInteger(8))
        case .double: return .double(Double(bitPattern: try readInteger(8)))
        case .string: return .string(try readString())
        case .objectPath: return .objectPath(try readObjectPath())
        case .signature: return .signature(try readSignature())
        case .unixFD: return .unixFD(try readUInt32())
        case .variant: return .variant(try readVariant())
        case .array(.byte): return .bytes(try readByteArray())
        case .array(let element): return .array(element, try readArray(element))
        case .structure(let members): return .structure(try readStructure(members))
        case .dictionary(let key, let value):
            return .dictionary(key, value, try readEntries(key, value))
        }
    }

    // MARK: Basic types

    /// Skips the padding before a value. The bytes of the padding must be zero.
    mutating func align(to alignment: Int) throws(MalformedBytes) {
        let aligned = (position + alignment - 1) / alignment * alignment
        for byte in try take(aligned - position) where byte != 0 {
            throw .invalid(field: "padding")
        }
    }

    private mutating func take(_ count: Int) throws(MalformedBytes) -> ArraySlice<UInt8> {
        guard count <= end - position else {
            throw .truncated(needed: count, available: end - position)
        }
        let start = bytes.startIndex + position
        position += count
        return bytes[start..<(start + count)]
    }

    private mutating func readInteger(_ size: Int) throws(MalformedBytes) -> UInt64 {
        try align(to: size)
        let taken = try take(size)
        return isBigEndian
            ? taken.reduce(0) { $0 << 8 | UInt64($1) }
            : taken.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func readUInt32() throws(MalformedBytes) -> UInt32 {
        UInt32(truncatingIfNeeded: try readInteger(4))
    }

    private mutating func readBoolean() throws(MalformedBytes) -> Bool {
        switch try readUInt32() {
        case 0: return false
        case 1: return true
        default: throw .invalid(field: "boolean")
        }
    }

    /// Reads the bytes of a text, which ends with a zero and contains no other zero.
    private mutating func readText(length: Int) throws(MalformedBytes) -> String {
        let text = try take(length)
        guard try take(1).first == 0 else { throw .invalid(field: "end of a string") }
        guard !text.contains(0), let string = String(utf8: text) else {
            throw .invalid(field: "UTF-8 of a string")
        }
        return string
    }

    private mutating func readString() throws(MalformedBytes) -> String {
        let length = Int(try readUInt32())
        return try readText(length: length)
    }

    private mutating func readObjectPath() throws(MalformedBytes) -> DBusObjectPath {
        guard let path = DBusObjectPath(try readString()) else {
            throw .invalid(field: "object path")
        }
        return path
    }

    private mutating func readSignature() throws(MalformedBytes) -> DBusSignature {
        let length = Int(try readInteger(1))
        return try DBusSignature(parsing: try readText(length: length))
    }

    // MARK: Containers

    private mutating func enter() throws(MalformedBytes) {
        depth += 1
        guard depth <= DBusLimits.totalDepth else { throw .invalid(field: "depth of containers") }
    }

    private mutating func readVariant() throws(MalformedBytes) -> DBusValue {
        let signature = try readSignature()
        guard signature.types.count == 1, let type = signature.types.first else {
            throw .invalid(field: "signature of a variant")
        }
        try enter()
        defer { depth -= 1 }
        return try read(type)
    }

    private mutating func readLength(alignment: Int) throws(MalformedBytes) -> Int {
        let length = Int(try readUInt32())
        guard length <= DBusLimits.arrayLength else { throw .invalid(field: "length of an array") }
        // The padding also precedes an empty array, and is not part of the length.
        try align(to: alignment)
        guard length <= end - position else {
            throw .truncated(needed: length, available: end - position)
        }
        return length
    }

    private mutating func readByteArray() throws(MalformedBytes) -> [UInt8] {
        let length = try readLength(alignment: 1)
        return Array(try take(length))
    }

    private mutating func readArray(_ element: DBusType) throws(MalformedBytes) -> [DBusValue] {
        var elements: [DBusValue] = []
        let outerEnd = try beginArray(alignment: element.alignment)
        while position < end { elements.append(try read(element)) }
        endArray(outerEnd)
        return elements
    }

    private mutating func readEntries(
        _ key: DBusType,
        _ value: DBusType
    ) throws(MalformedBytes) -> [DBusValue.Entry] {
        var entries: [DBusValue.Entry] = []
        let outerEnd = try beginArray(alignment: 8)
        while position < end {
            try align(to: 8)
            try enter()
            let key = try read(key)
            entries.append(DBusValue.Entry(key, try read(value)))
            depth -= 1
        }
        endArray(outerEnd)
        return entries
    }

    /// Limits reads to the bytes of an array, so that its last element must end exactly where the
    /// array ends. Returns the former limit.
    private mutating func beginArray(alignment: Int) throws(MalformedBytes) -> Int {
        let length = try readLength(alignment: alignment)
        try enter()
        defer { end = position + length }
        return end
    }

    private mutating func endArray(_ outerEnd: Int) {
        end = outerEnd
        depth -= 1
    }

    private mutating func readStructure(
        _ members: [DBusType]
    ) throws(MalformedBytes) -> [DBusValue] {
        try align(to: 8)
        try enter()
        defer { depth -= 1 }
        var values: [DBusValue] = []
        for member in members { values.append(try read(member)) }
        return values
    }
}

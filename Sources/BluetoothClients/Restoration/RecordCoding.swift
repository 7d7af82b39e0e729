// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The stored form of intents. It is specific to this package: little-endian, with lengths before
// the elements that they count.
//
//     record     u8 version, text of the restore identifier, contents by role
//     text       u16 length in bytes, then UTF-8
//     list       u16 number of elements, then the elements
//     optional   u8 0 for nil, or 1 and then the value
//     form       u8 length of a UUID: 2, 4 or 16 bytes, then its bytes, most significant first
//
// Data that this version cannot have written is refused, such as a flag that is neither 0 nor 1.

/// A part of a record.
protocol RecordField {
    func write(to writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(MalformedBytes)
}

/// A value that can be stored from one launch to the next, as the contents of a record.
protocol Recordable: RecordField {}

/// The coding of whole records.
enum RestorationRecord {
    /// The version that is written. No other version is read.
    static let version: UInt8 = 1

    /// Returns the record of the manager with a restore identifier.
    static func encode(_ intents: some Recordable, of identifier: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        identifier.write(to: &writer)
        intents.write(to: &writer)
        return writer.bytes
    }

    /// Returns the value of a record.
    ///
    /// - Throws: `MalformedBytes` if the record is not of this form and version, or is that of
    ///   another manager.
    static func decode<Intents: Recordable>(
        _ bytes: [UInt8],
        of identifier: String
    ) throws(MalformedBytes) -> Intents {
        var reader = ByteReader(bytes)
        guard try reader.readUInt8() == version else { throw .invalid(field: "version") }
        guard try String(from: &reader) == identifier else { throw .invalid(field: "identifier") }
        let intents = try Intents(from: &reader)
        try reader.finish()
        return intents
    }
}

// MARK: - Fields

extension ByteReader {
    /// Reads a value of the type that the caller expects.
    mutating func read<Value: RecordField>() throws(MalformedBytes) -> Value {
        try Value(from: &self)
    }
}

extension Bool: RecordField {
    func write(to writer: inout ByteWriter) { writer.write(self ? 1 as UInt8 : 0) }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        switch try reader.readUInt8() {
        case 0: self = false
        case 1: self = true
        default: throw .invalid(field: "flag")
        }
    }
}

extension UInt8: RecordField {}
extension UInt16: RecordField {}
extension UInt32: RecordField {}

extension RecordField where Self: FixedWidthInteger {
    func write(to writer: inout ByteWriter) {
        withUnsafeBytes(of: littleEndian) { writer.write(contentsOf: $0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(truncatingIfNeeded: try reader.readInteger(bytes: Self.bitWidth / 8))
    }
}

extension AttributeHandle: RecordField {
    func write(to writer: inout ByteWriter) { writer.write(self) }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = try reader.readAttributeHandle()
    }
}

extension PeerIdentifier: RecordField {
    func write(to writer: inout ByteWriter) { writer.write(contentsOf: bytes) }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self.init(bytes: try reader.readBytes(Self.length))
    }
}

extension String: RecordField {
    /// Writes at most 65,535 bytes of whole characters.
    func write(to writer: inout ByteWriter) {
        var kept = prefix(Int(UInt16.max))
        while kept.utf8.count > Int(UInt16.max) { kept.removeLast() }
        Array(kept.utf8).write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        guard let text = String(utf8: try reader.readBytes(Int(try reader.readUInt16()))) else {
            throw .invalid(field: "text")
        }
        self = text
    }
}

extension Array: RecordField where Element: RecordField {
    /// Writes at most 65,535 elements.
    func write(to writer: inout ByteWriter) {
        let kept = prefix(Int(UInt16.max))
        writer.write(UInt16(kept.count))
        for element in kept { element.write(to: &writer) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = []
        for _ in 0..<(try reader.readUInt16()) { append(try reader.read()) }
    }
}

extension Optional: RecordField where Wrapped: RecordField {
    func write(to writer: inout ByteWriter) {
        (self != nil).write(to: &writer)
        self?.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        self = try reader.read() ? .some(try reader.read()) : nil
    }
}

extension WrittenUUID: RecordField {
    func write(to writer: inout ByteWriter) {
        writer.write(UInt8(bytes.count))
        writer.write(contentsOf: bytes)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let bytes = try reader.readBytes(Int(try reader.readUInt8()))
        guard let form = WrittenUUID(bytes: bytes) else { throw .invalid(field: "UUID") }
        self = form
    }
}

extension BluetoothUUID: RecordField {
    func write(to writer: inout ByteWriter) { WrittenUUID(self).write(to: &writer) }

    /// Reads a UUID, which must be in its shortest form.
    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let form: WrittenUUID = try reader.read()
        guard form == WrittenUUID(form.value) else { throw .invalid(field: "UUID") }
        self = form.value
    }
}

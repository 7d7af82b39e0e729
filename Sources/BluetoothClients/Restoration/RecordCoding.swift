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

/// A value that can be stored from one launch to the next.
protocol Recordable {
    func write(to writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(MalformedBytes)
}

/// The coding of whole records.
enum RestorationRecord {
    /// The version that is written. No other version is read.
    static let version: UInt8 = 1

    /// Returns the record of the manager with a restore identifier.
    static func encode(_ intents: some Recordable, of identifier: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.write(text: identifier)
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
        guard try reader.readText() == identifier else { throw .invalid(field: "identifier") }
        let intents = try Intents(from: &reader)
        try reader.finish()
        return intents
    }
}

extension ByteWriter {
    mutating func write(flag: Bool) {
        write(flag ? 1 as UInt8 : 0)
    }

    /// Writes text, at most 65,535 bytes of whole characters.
    mutating func write(text: String) {
        var bytes = Array(text.utf8)
        if bytes.count > Int(UInt16.max) {
            var kept = text.prefix(Int(UInt16.max))
            while kept.utf8.count > Int(UInt16.max) { kept.removeLast() }
            bytes = Array(kept.utf8)
        }
        write(UInt16(bytes.count))
        write(contentsOf: bytes)
    }

    /// Writes a list, at most 65,535 elements.
    mutating func write<Element>(
        list: [Element],
        _ write: (inout ByteWriter, Element) -> Void
    ) {
        let kept = list.prefix(Int(UInt16.max))
        self.write(UInt16(kept.count))
        for element in kept { write(&self, element) }
    }

    mutating func write<Value>(
        optional: Value?,
        _ write: (inout ByteWriter, Value) -> Void
    ) {
        self.write(flag: optional != nil)
        if let optional { write(&self, optional) }
    }

    mutating func write(_ form: WrittenUUID) {
        let bytes = form.bytes
        write(UInt8(bytes.count))
        write(contentsOf: bytes)
    }

    mutating func write(_ uuid: BluetoothUUID) {
        write(WrittenUUID(uuid))
    }
}

extension ByteReader {
    mutating func readFlag() throws(MalformedBytes) -> Bool {
        switch try readUInt8() {
        case 0: false
        case 1: true
        default: throw .invalid(field: "flag")
        }
    }

    mutating func readText() throws(MalformedBytes) -> String {
        let bytes = try readBytes(Int(try readUInt16()))
        guard let text = String(utf8: bytes) else {
            throw .invalid(field: "text")
        }
        return text
    }

    mutating func readList<Element>(
        _ read: (inout ByteReader) throws(MalformedBytes) -> Element
    ) throws(MalformedBytes) -> [Element] {
        var list: [Element] = []
        for _ in 0..<(try readUInt16()) { list.append(try read(&self)) }
        return list
    }

    mutating func readOptional<Value>(
        _ read: (inout ByteReader) throws(MalformedBytes) -> Value
    ) throws(MalformedBytes) -> Value? {
        guard try readFlag() else { return nil }
        return try read(&self)
    }

    mutating func readForm() throws(MalformedBytes) -> WrittenUUID {
        let bytes = try readBytes(Int(try readUInt8()))
        guard let form = WrittenUUID(bytes: bytes) else { throw .invalid(field: "UUID") }
        return form
    }

    /// Reads a UUID, which must be in its shortest form.
    mutating func readUUID() throws(MalformedBytes) -> BluetoothUUID {
        let form = try readForm()
        guard form == WrittenUUID(form.value) else { throw .invalid(field: "UUID") }
        return form.value
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// The form in which intents are kept. It is our own: little-endian, with lengths before what they
// count.
//
//     record     u8 version, text of the restore identifier, contents by role
//     text       u16 octets, UTF-8
//     list       u16 elements, then each element
//     optional   u8 0 for nil, or 1 and then the value
//     form       u8 octets of a UUID: 2, 4 or 16, then these, the most significant first
//
// The frame around it, with a length and a check, is the store's. What this version did not write is
// refused, down to a flag that is neither 0 nor 1: so what is read is what was written.

/// What can be kept from one launch to the next.
protocol Recordable {
    func write(to writer: inout ByteWriter)
    init(from reader: inout ByteReader) throws(MalformedBytes)
}

/// Reads and writes whole records.
enum RestorationRecord {
    /// The version that is written, and the only one that is read.
    static let version: UInt8 = 1

    /// What is kept for the manager with a restore identifier.
    static func encode(_ intents: some Recordable, of identifier: String) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(version)
        writer.write(text: identifier)
        intents.write(to: &writer)
        return writer.bytes
    }

    /// What was kept; throws if it is anything else, or another manager's.
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

    /// Text beyond 65,535 octets is cut, between two characters.
    mutating func write(text: String) {
        var octets = Array(text.utf8)
        if octets.count > Int(UInt16.max) {
            var kept = text.prefix(Int(UInt16.max))
            while kept.utf8.count > Int(UInt16.max) { kept.removeLast() }
            octets = Array(kept.utf8)
        }
        write(UInt16(octets.count))
        write(contentsOf: octets)
    }

    /// What is beyond 65,535 elements is left out.
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

    mutating func write(_ form: CBUUID.Form) {
        let octets = form.octets
        write(UInt8(octets.count))
        write(contentsOf: octets)
    }

    mutating func write(_ uuid: BluetoothUUID) {
        write(CBUUID.Form(uuid))
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
        let octets = try readBytes(Int(try readUInt16()))
        guard let text = String(validating: octets, as: UTF8.self) else {
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

    mutating func readForm() throws(MalformedBytes) -> CBUUID.Form {
        let octets = try readBytes(Int(try readUInt8()))
        guard let form = CBUUID.Form(octets: octets) else { throw .invalid(field: "UUID") }
        return form
    }

    /// A UUID that was written in its shortest form.
    mutating func readUUID() throws(MalformedBytes) -> BluetoothUUID {
        let form = try readForm()
        guard form == CBUUID.Form(form.value) else { throw .invalid(field: "UUID") }
        return form.value
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The stored form of a peripheral manager's intents. `RecordCoding.swift` describes lists,
// optionals, texts and forms.
//
//     intents         list of services, optional advertisement
//     service         u32 number, optional u16 handle, flag: primary, form, list of u32 numbers of
//                     the services that it includes, list of characteristics
//     characteristic  u16 properties, u8 permissions, form, optional value, list of descriptors
//     descriptor      form, value
//     value           u16 length in bytes, then the bytes
//     advertisement   optional text: the local name, list of forms
extension PeripheralManagerIntents: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(list: Array(services.prefix(Self.serviceLimit))) { $1.write(to: &$0) }
        writer.write(optional: advertisement) { $1.write(to: &$0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        services = try reader.readList { reader throws(MalformedBytes) in
            try AddedService(from: &reader)
        }
        guard services.count <= Self.serviceLimit else { throw .invalid(field: "services") }
        var before: Set<Int> = []
        for service in services {
            guard before.isSuperset(of: service.includes), before.insert(service.number).inserted
            else { throw .invalid(field: "service") }
        }
        advertisement = try reader.readOptional { reader throws(MalformedBytes) in
            try AdvertisementRequest(from: &reader)
        }
    }
}

extension AddedService: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(UInt32(truncatingIfNeeded: number))
        writer.write(optional: handle) { $0.write($1) }
        writer.write(flag: isPrimary)
        writer.write(uuidText: uuid)
        writer.write(list: includes) { $0.write(UInt32(truncatingIfNeeded: $1)) }
        writer.write(list: characteristics) { $1.write(to: &$0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let number = Int(try reader.readUInt32())
        let handle = try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readUInt16()
        }
        guard handle != 0 else { throw .invalid(field: "handle") }
        let isPrimary = try reader.readFlag()
        self.init(
            number: number,
            uuid: try reader.readForm().text,
            isPrimary: isPrimary,
            includes: try reader.readList { reader throws(MalformedBytes) in
                Int(try reader.readUInt32())
            },
            characteristics: try reader.readList { reader throws(MalformedBytes) in
                try AddedCharacteristic(from: &reader)
            },
            handle: handle
        )
    }
}

extension AddedCharacteristic: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(UInt16(truncatingIfNeeded: properties.rawValue))
        writer.write(UInt8(truncatingIfNeeded: permissions.rawValue))
        writer.write(uuidText: uuid)
        writer.write(optional: value) { $0.write(value: $1) }
        writer.write(list: descriptors) {
            $0.write(uuidText: $1.uuid)
            $0.write(value: $1.value)
        }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let properties = ServedProperties(rawValue: UInt(try reader.readUInt16()))
        let permissions = ServedPermissions(rawValue: UInt(try reader.readUInt8()))
        self.init(
            uuid: try reader.readForm().text,
            properties: properties,
            permissions: permissions,
            value: try reader.readOptional { reader throws(MalformedBytes) in
                try reader.readValue()
            },
            descriptors: try reader.readList { reader throws(MalformedBytes) in
                let form = try reader.readForm()
                // Other descriptors cannot be published: making one would end the process.
                guard AddedDescriptor.types.contains(form.value) else {
                    throw .invalid(field: "descriptor")
                }
                return AddedDescriptor(uuid: form.text, value: try reader.readValue())
            }
        )
    }
}

extension AddedDescriptor {
    /// The types of the descriptors that an application can publish.
    fileprivate static let types: Set<BluetoothUUID> = [
        GATT.AttributeType.characteristicUserDescription,
        GATT.AttributeType.characteristicPresentationFormat,
    ]
}

extension AdvertisementRequest: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(optional: localName) { $0.write(text: $1) }
        writer.write(list: services) { $0.write(uuidText: $1) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        localName = try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readText()
        }
        services = try reader.readList { reader throws(MalformedBytes) in
            try reader.readForm().text
        }
    }
}

extension ByteWriter {
    /// Writes a UUID from its text, in its width.
    fileprivate mutating func write(uuidText text: String) {
        write(WrittenUUID(text: text) ?? WrittenUUID(BluetoothUUID(0)))
    }

    /// Writes an attribute's value. The limit of 512 bytes (Vol 3, Part F, 3.2.9) is not checked
    /// here.
    fileprivate mutating func write(value: [UInt8]) {
        let kept = value.prefix(Int(UInt16.max))
        write(UInt16(kept.count))
        write(contentsOf: kept)
    }
}

extension ByteReader {
    fileprivate mutating func readValue() throws(MalformedBytes) -> [UInt8] {
        Array(try readBytes(Int(try readUInt16())))
    }
}

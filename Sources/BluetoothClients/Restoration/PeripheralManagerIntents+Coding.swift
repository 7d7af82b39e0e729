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
//     value           list of bytes
//     advertisement   optional text: the local name, list of forms
extension PeripheralManagerIntents: Recordable {
    func write(to writer: inout ByteWriter) {
        Array(services.prefix(Self.serviceLimit)).write(to: &writer)
        advertisement.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        services = try reader.read()
        guard services.count <= Self.serviceLimit else { throw .invalid(field: "services") }
        var before: Set<Int> = []
        for service in services {
            guard before.isSuperset(of: service.includes), before.insert(service.number).inserted
            else { throw .invalid(field: "service") }
        }
        advertisement = try reader.read()
    }
}

extension AddedService: RecordField {
    func write(to writer: inout ByteWriter) {
        writer.write(UInt32(truncatingIfNeeded: number))
        handle.write(to: &writer)
        isPrimary.write(to: &writer)
        WrittenUUID(stored: uuid).write(to: &writer)
        includes.map { UInt32(truncatingIfNeeded: $0) }.write(to: &writer)
        characteristics.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let number = Int(try reader.readUInt32())
        let handle: UInt16? = try reader.read()
        guard handle != 0 else { throw .invalid(field: "handle") }
        let isPrimary: Bool = try reader.read()
        self.init(
            number: number,
            uuid: try WrittenUUID(from: &reader).text,
            isPrimary: isPrimary,
            includes: try [UInt32](from: &reader).map { Int($0) },
            characteristics: try reader.read(),
            handle: handle
        )
    }
}

extension AddedCharacteristic: RecordField {
    func write(to writer: inout ByteWriter) {
        writer.write(UInt16(truncatingIfNeeded: properties.rawValue))
        writer.write(UInt8(truncatingIfNeeded: permissions.rawValue))
        WrittenUUID(stored: uuid).write(to: &writer)
        value.write(to: &writer)
        descriptors.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let properties = ServedProperties(rawValue: UInt(try reader.readUInt16()))
        let permissions = ServedPermissions(rawValue: UInt(try reader.readUInt8()))
        self.init(
            uuid: try WrittenUUID(from: &reader).text,
            properties: properties,
            permissions: permissions,
            value: try reader.read(),
            descriptors: try reader.read()
        )
    }
}

extension AddedDescriptor: RecordField {
    /// The types of the descriptors that an application can publish.
    private static let types: Set<BluetoothUUID> = [
        GATT.AttributeType.characteristicUserDescription,
        GATT.AttributeType.characteristicPresentationFormat,
    ]

    func write(to writer: inout ByteWriter) {
        WrittenUUID(stored: uuid).write(to: &writer)
        value.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let form: WrittenUUID = try reader.read()
        // Other descriptors cannot be published: making one would end the process.
        guard Self.types.contains(form.value) else { throw .invalid(field: "descriptor") }
        self.init(uuid: form.text, value: try reader.read())
    }
}

extension AdvertisementRequest: RecordField {
    func write(to writer: inout ByteWriter) {
        localName.write(to: &writer)
        services.map(WrittenUUID.init(stored:)).write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        localName = try reader.read()
        services = try [WrittenUUID](from: &reader).map(\.text)
    }
}

extension WrittenUUID {
    /// Creates the UUID to store for the text of an attribute's UUID, with its width.
    fileprivate init(stored text: String) {
        self = WrittenUUID(text: text) ?? WrittenUUID(BluetoothUUID(0))
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The stored form of discovered attributes. `RecordCoding.swift` describes lists and optionals.
//
//     table           list of services
//     service         u16 handle, u16 end, flag: primary, flag: listed, UUID,
//                     optional list of u16 handles of the services that it includes,
//                     optional list of characteristics
//     characteristic  u16 handle, u16 value handle, u16 end, u8 properties, flag: notifying, UUID,
//                     optional list of descriptors
//     descriptor      u16 handle, UUID
extension RemoteTable: Recordable {
    func write(to writer: inout ByteWriter) {
        services.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        services = try reader.read()
        let handles = services.map(\.origin.handle)
        let present = Set(handles)
        guard zip(handles, handles.dropFirst()).allSatisfy(<),
            services.allSatisfy({ present.isSuperset(of: $0.includes ?? []) })
        else { throw .invalid(field: "services") }
    }
}

extension RemoteTable.Service: RecordField {
    func write(to writer: inout ByteWriter) {
        writer.write(origin.handle)
        writer.write(origin.endHandle)
        origin.isPrimary.write(to: &writer)
        isListed.write(to: &writer)
        origin.uuid.write(to: &writer)
        includes.write(to: &writer)
        characteristics.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        guard handle != .invalid, handle <= end else { throw .invalid(field: "service") }
        let isPrimary: Bool = try reader.read()
        isListed = try reader.read()
        origin = GATT.Service(
            uuid: try reader.read(),
            isPrimary: isPrimary,
            handle: handle,
            endHandle: end
        )
        includes = try reader.read()
        characteristics = try reader.read()
    }
}

extension RemoteTable.Characteristic: RecordField {
    func write(to writer: inout ByteWriter) {
        writer.write(origin.handle)
        writer.write(origin.valueHandle)
        writer.write(origin.endHandle)
        writer.write(origin.properties.rawValue)
        isNotifying.write(to: &writer)
        origin.uuid.write(to: &writer)
        descriptors.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        let valueHandle = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        guard handle != .invalid, handle < valueHandle, valueHandle <= end else {
            throw .invalid(field: "characteristic")
        }
        let properties = GATT.CharacteristicProperties(rawValue: try reader.readUInt8())
        isNotifying = try reader.read()
        origin = GATT.Characteristic(
            uuid: try reader.read(),
            handle: handle,
            valueHandle: valueHandle,
            properties: properties,
            endHandle: end
        )
        descriptors = try reader.read()
    }
}

extension GATT.Descriptor: RecordField {
    func write(to writer: inout ByteWriter) {
        writer.write(handle)
        uuid.write(to: &writer)
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle: AttributeHandle = try reader.read()
        self.init(uuid: try reader.read(), handle: handle)
    }
}

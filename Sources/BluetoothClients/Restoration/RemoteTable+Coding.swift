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
        writer.write(list: services) { $1.write(to: &$0) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        services = try reader.readList { reader throws(MalformedBytes) in
            try Service(from: &reader)
        }
        let handles = services.map(\.origin.handle)
        let present = Set(handles)
        guard zip(handles, handles.dropFirst()).allSatisfy(<),
            services.allSatisfy({ present.isSuperset(of: $0.includes ?? []) })
        else { throw .invalid(field: "services") }
    }
}

extension RemoteTable.Service: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(origin.handle)
        writer.write(origin.endHandle)
        writer.write(flag: origin.isPrimary)
        writer.write(flag: isListed)
        writer.write(origin.uuid)
        writer.write(optional: includes) { $0.write(list: $1) { $0.write($1) } }
        writer.write(optional: characteristics) { $0.write(list: $1) { $1.write(to: &$0) } }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        guard handle != .invalid, handle <= end else { throw .invalid(field: "service") }
        let isPrimary = try reader.readFlag()
        isListed = try reader.readFlag()
        origin = GATT.Service(
            uuid: try reader.readUUID(),
            isPrimary: isPrimary,
            handle: handle,
            endHandle: end
        )
        includes = try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readList { reader throws(MalformedBytes) in
                try reader.readAttributeHandle()
            }
        }
        characteristics = try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readList { reader throws(MalformedBytes) in
                try RemoteTable.Characteristic(from: &reader)
            }
        }
    }
}

extension RemoteTable.Characteristic: Recordable {
    func write(to writer: inout ByteWriter) {
        writer.write(origin.handle)
        writer.write(origin.valueHandle)
        writer.write(origin.endHandle)
        writer.write(origin.properties.rawValue)
        writer.write(flag: isNotifying)
        writer.write(origin.uuid)
        writer.write(optional: descriptors) { writer, descriptors in
            writer.write(list: descriptors) {
                $0.write($1.handle)
                $0.write($1.uuid)
            }
        }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        let valueHandle = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        guard handle != .invalid, handle < valueHandle, valueHandle <= end else {
            throw .invalid(field: "characteristic")
        }
        let properties = GATT.CharacteristicProperties(rawValue: try reader.readUInt8())
        isNotifying = try reader.readFlag()
        origin = GATT.Characteristic(
            uuid: try reader.readUUID(),
            handle: handle,
            valueHandle: valueHandle,
            properties: properties,
            endHandle: end
        )
        descriptors = try reader.readOptional { reader throws(MalformedBytes) in
            try reader.readList { reader throws(MalformedBytes) in
                let handle = try reader.readAttributeHandle()
                return GATT.Descriptor(uuid: try reader.readUUID(), handle: handle)
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

// The encoding of a database for storage. The format is specific to this package. It is
// little-endian like Bluetooth PDUs, and each count precedes its elements.
//
//     table           u16 services, then each service
//     service         u16 handle, u16 end, u8 1 if primary, else 0, UUID,
//                     u16 includes, each u16 handle, u16 handle of the service referred to,
//                     u16 characteristics, then each characteristic
//     characteristic  u16 handle, u16 value handle, u16 end, u8 properties, UUID,
//                     u16 descriptors, each u16 handle, UUID
//     UUID            u8 2 or 16, then as many bytes
extension GATT.Database {
    func write(to writer: inout ByteWriter) {
        writer.writeCount(services)
        for service in services { service.write(to: &writer) }
    }

    init(from reader: inout ByteReader) throws(MalformedBytes) {
        var services: [GATT.DiscoveredService] = []
        var references: [[Reference]] = []
        for _ in 0..<(try reader.readUInt16()) {
            let (service, referred) = try GATT.DiscoveredService.read(from: &reader)
            services.append(service)
            references.append(referred)
        }
        try Self.resolve(references, in: &services)
        guard Self.fault(of: services) == nil else { throw .invalid(field: "handle") }
        self.init(checked: services)
    }

    /// A stored include, with the handle of the service to which it refers.
    struct Reference {
        let handle: AttributeHandle
        let service: AttributeHandle
    }

    private static func resolve(
        _ references: [[Reference]],
        in services: inout [GATT.DiscoveredService]
    ) throws(MalformedBytes) {
        var byHandle: [AttributeHandle: GATT.Service] = [:]
        for entry in services { byHandle[entry.service.handle] = entry.service }
        for index in services.indices where !references[index].isEmpty {
            var includes: [GATT.IncludedService] = []
            for reference in references[index] {
                guard let service = byHandle[reference.service] else {
                    throw .invalid(field: "include")
                }
                includes.append(.init(handle: reference.handle, service: service))
            }
            services[index] = .init(
                service: services[index].service,
                includes: includes,
                characteristics: services[index].characteristics
            )
        }
    }
}

extension GATT.DiscoveredService {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(service.handle)
        writer.write(service.endHandle)
        writer.write(service.isPrimary ? 1 as UInt8 : 0)
        writer.write(service.uuid)
        writer.writeCount(includes)
        for include in includes {
            writer.write(include.handle)
            writer.write(include.service.handle)
        }
        writer.writeCount(characteristics)
        for characteristic in characteristics { characteristic.write(to: &writer) }
    }

    /// Reads a service. Returns its includes separately, as references: the services to which they
    /// refer may not have been read yet.
    fileprivate static func read(
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> (GATT.DiscoveredService, [GATT.Database.Reference]) {
        let handle = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        let primary = try reader.readUInt8()
        guard handle <= end, primary <= 1 else { throw .invalid(field: "service") }
        let uuid = try reader.readUUID()
        var references: [GATT.Database.Reference] = []
        for _ in 0..<(try reader.readUInt16()) {
            references.append(
                .init(
                    handle: try reader.readAttributeHandle(),
                    service: try reader.readAttributeHandle()
                )
            )
        }
        var characteristics: [GATT.DiscoveredCharacteristic] = []
        for _ in 0..<(try reader.readUInt16()) {
            characteristics.append(try .init(from: &reader))
        }
        let service = GATT.Service(
            uuid: uuid,
            isPrimary: primary == 1,
            handle: handle,
            endHandle: end
        )
        return (.init(service: service, characteristics: characteristics), references)
    }
}

extension GATT.DiscoveredCharacteristic {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(characteristic.handle)
        writer.write(characteristic.valueHandle)
        writer.write(characteristic.endHandle)
        writer.write(characteristic.properties.rawValue)
        writer.write(characteristic.uuid)
        writer.writeCount(descriptors)
        for descriptor in descriptors {
            writer.write(descriptor.handle)
            writer.write(descriptor.uuid)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(MalformedBytes) {
        let handle = try reader.readAttributeHandle()
        let valueHandle = try reader.readAttributeHandle()
        let end = try reader.readAttributeHandle()
        guard handle < valueHandle, valueHandle <= end else {
            throw .invalid(field: "characteristic")
        }
        let properties = try reader.readUInt8()
        let uuid = try reader.readUUID()
        var descriptors: [GATT.Descriptor] = []
        for _ in 0..<(try reader.readUInt16()) {
            let handle = try reader.readAttributeHandle()
            descriptors.append(.init(uuid: try reader.readUUID(), handle: handle))
        }
        let characteristic = GATT.Characteristic(
            uuid: uuid,
            handle: handle,
            valueHandle: valueHandle,
            properties: .init(rawValue: properties),
            endHandle: end
        )
        self.init(characteristic: characteristic, descriptors: descriptors)
    }
}

extension ByteWriter {
    /// Writes the number of elements that follow. Each element has a handle, so 16 bits suffice.
    fileprivate mutating func writeCount(_ elements: [some Any]) {
        write(UInt16(truncatingIfNeeded: elements.count))
    }

    fileprivate mutating func write(_ uuid: BluetoothUUID) {
        let bytes = uuid.attBytes
        write(UInt8(truncatingIfNeeded: bytes.count))
        write(contentsOf: bytes)
    }
}

extension ByteReader {
    fileprivate mutating func readUUID() throws(MalformedBytes) -> BluetoothUUID {
        let count = Int(try readUInt8())
        let bytes = try readBytes(count)
        // Each UUID has only one valid length, so that a decoded record encodes to the same bytes.
        guard let uuid = BluetoothUUID(littleEndian: bytes), uuid.attBytes.count == count else {
            throw .invalid(field: "UUID")
        }
        return uuid
    }
}

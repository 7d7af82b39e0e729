// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// The attributes of a service definition with their handles, before they are added to a database.
struct ServiceLayout {
    private(set) var attributes: [Attribute] = []
    private(set) var characteristics: [CharacteristicRecord] = []

    private let uuid: BluetoothUUID
    /// The number of the next handle, or 0x10000 if the last handle is in use.
    private var cursor: Int

    /// Creates the layout of a service (Vol 3, Part G, 3).
    ///
    /// - Parameters:
    ///   - definition: The service.
    ///   - start: The handle of the service's declaration, instead of `definition.handle`.
    ///   - included: The services that the definition includes.
    /// - Throws: `tableFull` if there are not enough handles. `handleNotFree`, `valueTooLong` or
    ///   `duplicateDescriptor` for an error in the definition.
    init(
        _ definition: GATT.ServiceDefinition,
        from start: AttributeHandle,
        including included: [GATT.Service]
    ) throws(GATT.DefinitionError) {
        uuid = definition.uuid
        cursor = Int(start.rawValue)
        try add(
            definition.isPrimary
                ? GATT.AttributeType.primaryService : GATT.AttributeType.secondaryService,
            value: .fixed(definition.uuid.attBytes),
            at: start
        )
        for service in included {
            try add(GATT.AttributeType.include, value: .fixed(Self.declaration(of: service)))
        }
        for characteristic in definition.characteristics { try add(characteristic) }
    }

    /// The range of handles from the declaration to the last attribute.
    var handles: ClosedRange<AttributeHandle> {
        // The initializer either adds the service's declaration first or throws.
        (attributes.first?.handle ?? .first)...(attributes.last?.handle ?? .first)
    }

    /// Returns the value of an include declaration, which contains the UUID only if it has 16 bits
    /// (Vol 3, Part G, 3.2).
    private static func declaration(of service: GATT.Service) -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: 6)
        writer.write(service.handle)
        writer.write(service.endHandle)
        if service.uuid.short16 != nil { writer.write(contentsOf: service.uuid.attBytes) }
        return writer.bytes
    }
}

extension ServiceLayout {
    private mutating func add(
        _ definition: GATT.CharacteristicDefinition
    ) throws(GATT.DefinitionError) {
        let declaration = try place(definition.handle)
        let valueHandle = try handle(after: declaration)
        try add(
            GATT.AttributeType.characteristic,
            value: .fixed(
                [definition.properties.rawValue] + valueHandle.bytes + definition.uuid.attBytes
            ),
            at: declaration
        )
        try add(
            definition.uuid,
            permissions: definition.permissions,
            value: try value(of: definition),
            at: valueHandle
        )
        characteristics.append(
            CharacteristicRecord(
                uuid: definition.uuid,
                service: uuid,
                valueHandle: valueHandle,
                properties: definition.properties
            )
        )
        try addDescriptors(of: definition)
    }

    private mutating func addDescriptors(
        of definition: GATT.CharacteristicDefinition
    ) throws(GATT.DefinitionError) {
        let descriptors = definition.descriptors + definition.impliedDescriptors
        var seen: Set<BluetoothUUID> = []
        for descriptor in descriptors {
            let isFirst = seen.insert(descriptor.uuid).inserted
            guard isFirst || !GATT.DescriptorDefinition.singleTypes.contains(descriptor.uuid)
            else { throw .duplicateDescriptor(descriptor.uuid) }
            try add(descriptor)
        }
    }

    private mutating func add(
        _ definition: GATT.DescriptorDefinition
    ) throws(GATT.DefinitionError) {
        switch definition.uuid {
        case GATT.AttributeType.clientCharacteristicConfiguration:
            try addConfiguration(definition)
        case GATT.AttributeType.characteristicExtendedProperties:
            let value = try Attribute.Value(definition.value, of: definition.uuid).bytes
            // The descriptor is part of the structure of the database, like a declaration, so it
            // never changes.
            try add(
                definition.uuid,
                value: .fixed(value.count == 2 ? value : [0, 0]),
                at: definition.handle
            )
        default:
            try add(
                definition.uuid,
                permissions: definition.permissions,
                value: try Attribute.Value(definition.value, of: definition.uuid),
                at: definition.handle
            )
        }
    }

    private mutating func addConfiguration(
        _ definition: GATT.DescriptorDefinition
    ) throws(GATT.DefinitionError) {
        // A descriptor follows a characteristic, so there is a last one.
        guard let last = characteristics.indices.last else { return }
        characteristics[last].configurationHandle = try place(definition.handle)
        try add(
            definition.uuid,
            permissions: .init(read: .open, write: definition.permissions.write ?? .open),
            value: .clientConfiguration(characteristics[last].valueHandle),
            at: definition.handle
        )
    }

    /// Returns the source of a characteristic's value. The server itself provides two values of the
    /// Generic Attribute service.
    private func value(
        of definition: GATT.CharacteristicDefinition
    ) throws(GATT.DefinitionError) -> Attribute.Value {
        if uuid == GATT.AttributeType.genericAttribute {
            if definition.uuid == GATT.AttributeType.databaseHash { return .databaseHash }
            if definition.uuid == GATT.AttributeType.clientSupportedFeatures {
                return .clientSupportedFeatures
            }
        }
        return try Attribute.Value(definition.value, of: definition.uuid)
    }

    private mutating func add(
        _ type: BluetoothUUID,
        permissions: GATT.Permissions = .readable,
        value: Attribute.Value,
        at explicit: AttributeHandle? = nil
    ) throws(GATT.DefinitionError) {
        let handle = try place(explicit)
        attributes.append(
            Attribute(handle: handle, type: type, permissions: permissions, value: value)
        )
        cursor = Int(handle.rawValue) + 1
    }

    /// Returns the explicit handle, or the next one.
    private func place(
        _ explicit: AttributeHandle?
    ) throws(GATT.DefinitionError) -> AttributeHandle {
        if let explicit {
            guard Int(explicit.rawValue) >= max(cursor, 1) else { throw .handleNotFree(explicit) }
            return explicit
        }
        guard let number = UInt16(exactly: cursor) else { throw .tableFull }
        return AttributeHandle(number)
    }

    private func handle(
        after handle: AttributeHandle
    ) throws(GATT.DefinitionError) -> AttributeHandle {
        guard let next = handle.next else { throw .tableFull }
        return next
    }
}

extension Attribute.Value {
    /// Creates the source of a value from its definition. A value in the database is `stored`, even
    /// if clients cannot write it: the permissions of the attribute prevent writes.
    fileprivate init(
        _ source: GATT.ValueSource,
        of uuid: BluetoothUUID
    ) throws(GATT.DefinitionError) {
        switch source {
        case .dynamic: self = .dynamic
        case .stored(let value, let maximumLength):
            let limit = min(max(maximumLength, 0), GATT.valueLengthLimit)
            guard value.count <= limit else { throw .valueTooLong(uuid) }
            self = .stored(value, maximumLength: limit)
        }
    }
}

extension AttributeHandle {
    /// The bytes of the handle, least significant byte first.
    var bytes: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(rawValue >> 8)] }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension AttributeDatabase {
    /// Adds a service to the database, either completely or, if an error is thrown, not at all.
    ///
    /// A service without an explicit handle is placed after all others, so that the handles of
    /// earlier services are not reused soon. When the handles are exhausted, it is placed in the
    /// first sufficient gap.
    package mutating func publish(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> GATT.DiscoveredService {
        let included = try services(includedBy: definition)
        let layout = try place(definition, including: included)
        try checkThatHandlesAreFree(layout)
        let service = insert(layout, of: definition)
        return discovered(service)
    }

    /// Removes the service whose declaration has this handle, and returns it.
    package mutating func unpublish(
        _ handle: AttributeHandle
    ) throws(GATT.DefinitionError) -> GATT.Service {
        guard let service = service(at: handle) else { throw .notPublished(handle) }
        try checkThatNothingIncludes(service)
        remove(service)
        return service
    }

    private func services(
        includedBy definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> [GATT.Service] {
        var included: [GATT.Service] = []
        for reference in definition.includes {
            guard let service = service(reference) else { throw .unknownInclude(reference) }
            included.append(service)
        }
        return included
    }

    private func service(_ reference: GATT.ServiceReference) -> GATT.Service? {
        switch reference {
        case .uuid(let uuid): services.first { $0.uuid == uuid }
        case .handle(let handle): service(at: handle)
        }
    }

    private func checkThatHandlesAreFree(
        _ layout: ServiceLayout
    ) throws(GATT.DefinitionError) {
        let (start, end) = (layout.handles.lowerBound, layout.handles.upperBound)
        let next = services.firstIndex(from: { $0.endHandle >= start })
        guard next < services.count, services[next].handle <= end else { return }
        throw .handleNotFree(max(services[next].handle, start))
    }

    /// Throws if an include refers to the service, because a removal would make the include
    /// invalid.
    private func checkThatNothingIncludes(
        _ service: GATT.Service
    ) throws(GATT.DefinitionError) {
        let includer = attributes.first {
            $0.type == GATT.AttributeType.include
                && $0.value.bytes.starts(with: service.handle.bytes)
                && !service.handles.contains($0.handle)
        }
        if let includer { throw .stillIncluded(by: includer.handle) }
    }
}

extension AttributeDatabase {
    private func place(
        _ definition: GATT.ServiceDefinition,
        including included: [GATT.Service]
    ) throws(GATT.DefinitionError) -> ServiceLayout {
        if let handle = definition.handle {
            guard handle != .invalid else { throw .handleNotFree(handle) }
            return try ServiceLayout(definition, from: handle, including: included)
        }
        if let next = attributes.last.map({ $0.handle.next }) ?? .first,
            let layout = try layout(of: definition, from: next, including: included)
        {
            return layout
        }
        return try placeInGap(definition, including: included)
    }

    /// Returns the layout of a service, or `nil` if there are not enough handles.
    private func layout(
        of definition: GATT.ServiceDefinition,
        from start: AttributeHandle,
        including included: [GATT.Service]
    ) throws(GATT.DefinitionError) -> ServiceLayout? {
        do {
            return try ServiceLayout(definition, from: start, including: included)
        } catch {
            guard error == .tableFull else { throw error }
            return nil
        }
    }

    /// Returns the layout of the service in the first sufficient gap between other services.
    private func placeInGap(
        _ definition: GATT.ServiceDefinition,
        including included: [GATT.Service]
    ) throws(GATT.DefinitionError) -> ServiceLayout {
        // This layout serves only to determine the length.
        let sample = try ServiceLayout(definition, from: .first, including: included)
        let length = Int(sample.handles.upperBound.rawValue)
        var start = AttributeHandle.first
        for service in services {
            if Int(service.handle.rawValue) - Int(start.rawValue) >= length {
                return try ServiceLayout(definition, from: start, including: included)
            }
            guard let next = service.endHandle.next else { break }
            start = next
        }
        throw .tableFull
    }

    private mutating func insert(
        _ layout: ServiceLayout,
        of definition: GATT.ServiceDefinition
    ) -> GATT.Service {
        let service = GATT.Service(
            uuid: definition.uuid,
            isPrimary: definition.isPrimary,
            handle: layout.handles.lowerBound,
            endHandle: layout.handles.upperBound
        )
        let start = service.handle
        attributes.insert(contentsOf: layout.attributes, at: firstIndex(notBefore: start))
        services.insert(service, at: services.firstIndex(from: { $0.handle >= start }))
        for record in layout.characteristics { characteristics[record.valueHandle] = record }
        hash = DatabaseHash.hash(of: attributes)
        return service
    }

    private mutating func remove(_ service: GATT.Service) {
        let slice = attributes(in: service.handles)
        for attribute in slice { characteristics[attribute.handle] = nil }
        attributes.removeSubrange(slice.indices)
        services.removeAll { $0.handle == service.handle }
        hash = DatabaseHash.hash(of: attributes)
    }
}

extension AttributeDatabase {
    /// Returns a service as clients discover it.
    package func discovered(_ service: GATT.Service) -> GATT.DiscoveredService {
        var includes: [GATT.IncludedService] = []
        var characteristics: [GATT.DiscoveredCharacteristic] = []
        var end = service.endHandle
        var record: CharacteristicRecord?
        var descriptors: [GATT.Descriptor] = []
        // The loop runs backward, because a characteristic ends before the next one starts.
        for row in attributes(in: service.handles).dropFirst().reversed() {
            if let value = record {
                // The declaration directly precedes its value.
                characteristics.append(
                    .init(
                        characteristic: value.characteristic(
                            declaredAt: row.handle,
                            endingAt: end
                        ),
                        descriptors: descriptors.reversed()
                    )
                )
                end = AttributeHandle(row.handle.rawValue &- 1)
                (record, descriptors) = (nil, [])
            } else if let value = self.characteristics[row.handle] {
                record = value
            } else if row.type == GATT.AttributeType.include {
                let included = services.first { row.value.bytes.starts(with: $0.handle.bytes) }
                if let included { includes.append(.init(handle: row.handle, service: included)) }
            } else {
                descriptors.append(GATT.Descriptor(uuid: row.type, handle: row.handle))
            }
        }
        return GATT.DiscoveredService(
            service: service,
            includes: includes.reversed(),
            characteristics: characteristics.reversed()
        )
    }
}

extension CharacteristicRecord {
    fileprivate func characteristic(
        declaredAt handle: AttributeHandle,
        endingAt end: AttributeHandle
    ) -> GATT.Characteristic {
        GATT.Characteristic(
            uuid: uuid,
            handle: handle,
            valueHandle: valueHandle,
            properties: properties,
            endHandle: end
        )
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

extension AttributeDatabase {
    /// Puts a service into the table, all of it or, if it throws, nothing.
    ///
    /// Without a handle of its own the service comes after everything else, so that handles of
    /// services that were there before are not soon used again; and once the handles have ended, in
    /// the first gap that is large enough.
    package mutating func publish(
        _ definition: GATT.ServiceDefinition
    ) throws(GATT.DefinitionError) -> GATT.PublishedService {
        let included = try services(includedBy: definition)
        let layout = try place(definition, including: included)
        try checkThatHandlesAreFree(layout)
        insert(layout, of: definition)
        return published(layout, of: definition)
    }

    /// Takes the service with that declaration out of the table, and returns what it was.
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

    /// An include that points nowhere would be worse than a service that stays.
    private func checkThatNothingIncludes(
        _ service: GATT.Service
    ) throws(GATT.DefinitionError) {
        let includer = attributes.first {
            $0.type == GATT.AttributeType.include
                && $0.value.octets.starts(with: service.handle.octets)
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

    /// The layout; nil if only room is missing.
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

    /// The service in the first gap between others that has room for it.
    private func placeInGap(
        _ definition: GATT.ServiceDefinition,
        including included: [GATT.Service]
    ) throws(GATT.DefinitionError) -> ServiceLayout {
        // Laid out once from the beginning, to learn its length.
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
    ) {
        let start = layout.handles.lowerBound
        attributes.insert(contentsOf: layout.attributes, at: firstIndex(notBefore: start))
        services.insert(
            service(layout, of: definition),
            at: services.firstIndex(from: { $0.handle >= start })
        )
        for record in layout.characteristics { characteristics[record.valueHandle] = record }
        hash = DatabaseHash.hash(of: attributes)
    }

    private mutating func remove(_ service: GATT.Service) {
        let slice = attributes(in: service.handles)
        for attribute in slice { characteristics[attribute.handle] = nil }
        attributes.removeSubrange(slice.indices)
        services.removeAll { $0.handle == service.handle }
        hash = DatabaseHash.hash(of: attributes)
    }

    private func service(
        _ layout: ServiceLayout,
        of definition: GATT.ServiceDefinition
    ) -> GATT.Service {
        GATT.Service(
            uuid: definition.uuid,
            isPrimary: definition.isPrimary,
            handle: layout.handles.lowerBound,
            endHandle: layout.handles.upperBound
        )
    }
}

extension AttributeDatabase {
    /// What clients will find, and the application is told.
    private func published(
        _ layout: ServiceLayout,
        of definition: GATT.ServiceDefinition
    ) -> GATT.PublishedService {
        let service = service(layout, of: definition)
        var characteristics: [GATT.PublishedCharacteristic] = []
        var end = service.endHandle
        var descriptors: [GATT.Descriptor] = []
        var rows = layout.attributes[...]
        var records = layout.characteristics[...]
        // From the back: a characteristic ends where the one after it begins.
        while let record = records.last, let row = rows.popLast() {
            if row.handle > record.valueHandle {
                descriptors.append(GATT.Descriptor(uuid: row.type, handle: row.handle))
                continue
            }
            guard row.handle < record.valueHandle else { continue }
            characteristics.append(
                .init(
                    characteristic: record.characteristic(declaredAt: row.handle, endingAt: end),
                    descriptors: descriptors.reversed()
                )
            )
            end = AttributeHandle(row.handle.rawValue &- 1)
            descriptors = []
            records.removeLast()
        }
        return GATT.PublishedService(service: service, characteristics: characteristics.reversed())
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

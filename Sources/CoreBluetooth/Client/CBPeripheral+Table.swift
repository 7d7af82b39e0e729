// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort

// The table of discovered attributes, and the objects that are made from it, on the manager's
// queue. An attribute keeps its object while the table contains it unchanged.
extension CBPeripheral {
    /// The discovered attributes and the subscriptions; `nil` before the first discovery.
    var table: RemoteTable? { snapshot.read(\.remote.table) }

    /// Returns the object of the attribute with this handle. A characteristic is identified by the
    /// handle of its value.
    func attribute<Attribute: CBAttribute>(_ handle: AttributeHandle) -> Attribute? {
        snapshot.read { $0.objects[handle] as? Attribute }
    }

    /// Applies an event to the table, and updates the objects.
    func take(_ event: RemoteEvent) {
        snapshot.change { snapshot in
            let changed = snapshot.remote.take(event)
            snapshot.show(changed, of: self)
        }
        observers.report()
    }

    /// Restores the attributes that a former process discovered, as if they had been discovered
    /// now.
    func adopt(_ table: RemoteTable) {
        snapshot.change { snapshot in
            snapshot.remote.adopt(table)
            snapshot.show(table.services.map(\.origin.handle), of: self)
        }
        observers.report()
    }

    /// Invalidates all objects.
    func invalidateObjects() {
        let objects = snapshot.change { snapshot in
            defer { snapshot.objects = [:] }
            return snapshot.objects
        }
        for object in objects.values { (object as? CBService)?.invalidate() }
    }
}

// Making objects from the table.
extension CBPeripheral.Snapshot {
    /// The objects of the services that a discovery of services found.
    var services: [CBService]? {
        remote.table?.services.lazy.filter(\.isListed)
            .compactMap { objects[$0.origin.handle] as? CBService }
    }

    /// Creates the objects of these services, and invalidates those that changed or that the table
    /// no longer contains.
    fileprivate mutating func show(_ services: [AttributeHandle], of peripheral: CBPeripheral) {
        guard let table = remote.table else { return }
        for handle in services {
            let entry = table.service(handle)
            if let object = objects[handle] as? CBService,
                entry.map({ object.origin?.isSame(as: $0.origin) == true }) != true
            {
                remove(object)
            }
            if let entry { show(entry, of: peripheral) }
        }
        for handle in services {
            let object = objects[handle] as? CBService
            guard let object, let includes = table.service(handle)?.includes else { continue }
            object.setIncludedServices(includes.compactMap { objects[$0] as? CBService })
        }
    }

    private mutating func show(_ entry: RemoteTable.Service, of peripheral: CBPeripheral) {
        let service = object(at: entry.origin.handle) { CBService(entry.origin, of: peripheral) }
        guard let characteristics = entry.characteristics else { return }
        let objects = characteristics.map { entry in
            let handle = entry.origin.valueHandle
            if let known = self.objects[handle] as? CBCharacteristic, known.origin != entry.origin {
                known.invalidate()
                forget([known] + (known.descriptors ?? []))
            }
            let object = object(at: handle) { CBCharacteristic(entry.origin, of: service) }
            object.setNotifying(entry.isNotifying)
            guard let descriptors = entry.descriptors else { return object }
            object.setDescriptors(
                descriptors.map { origin in
                    self.object(at: origin.handle) { CBDescriptor(origin, of: object) }
                }
            )
            return object
        }
        service.setCharacteristics(objects)
    }

    /// Returns the object of an attribute, which is made if there is none.
    private mutating func object<Attribute: CBAttribute>(
        at handle: AttributeHandle,
        _ make: () -> Attribute
    ) -> Attribute {
        if let known = objects[handle] as? Attribute { return known }
        let new = make()
        objects[handle] = new
        return new
    }

    /// Invalidates the object of a service that changed, with its contents.
    private mutating func remove(_ service: CBService) {
        service.invalidate()
        let characteristics = service.characteristics ?? []
        forget([service] + characteristics + characteristics.flatMap { $0.descriptors ?? [] })
    }

    /// Removes objects that were invalidated.
    private mutating func forget(_ invalid: [CBAttribute]) {
        for object in invalid {
            if let handle = object.handle, objects[handle] === object { objects[handle] = nil }
        }
    }
}

extension CBAttribute {
    /// The handle that identifies a discovered attribute: that of the value for a characteristic;
    /// `nil` for an attribute of this device.
    var handle: AttributeHandle? {
        switch self {
        case let service as CBService: service.origin?.handle
        case let characteristic as CBCharacteristic: characteristic.origin?.valueHandle
        case let descriptor as CBDescriptor: descriptor.origin?.handle
        default: nil
        }
    }
}

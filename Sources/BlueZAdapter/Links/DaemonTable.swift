// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import DBus

/// The database of a connected device, composed from the daemon's objects, with the object of each
/// attribute.
///
/// The paths of the objects end with the handles: `service0010/char0011/desc0013`. The number of a
/// characteristic is the handle of its declaration. The value gets the next handle here. From BlueZ
/// 5.74 on, the peripheral's value may have a later handle, which the path does not contain.
struct DaemonTable: Sendable {
    /// The object of an attribute.
    enum Attribute: Hashable, Sendable {
        case value(DBusObjectPath)
        case descriptor(DBusObjectPath)
        /// The Client Characteristic Configuration descriptor of the characteristic with this
        /// object. The daemon writes it itself.
        case configuration(DBusObjectPath)
    }

    let database: GATT.Database
    let attributes: [AttributeHandle: Attribute]

    /// Composes the database of the device at a path; `nil` if the objects are not a valid
    /// database, for example while the daemon is adding them.
    init?(of device: DBusObjectPath, in objects: DaemonObjects) {
        var composer = Composer(objects: objects, device: device)
        guard let services = composer.services(), let database = GATT.Database(services: services)
        else { return nil }
        self.database = database
        attributes = composer.attributes
    }

    /// Returns the value handle of the characteristic with this object.
    func valueHandle(of path: DBusObjectPath) -> AttributeHandle? {
        Self.number(of: path, after: "char").map { AttributeHandle($0) }?.next
    }

    /// Returns the number at the end of a path whose last element has this prefix.
    fileprivate static func number(of path: DBusObjectPath, after prefix: String) -> UInt16? {
        let element = path.lastElement
        guard element.hasPrefix(prefix), element.utf8.count == prefix.utf8.count + 4 else {
            return nil
        }
        return UInt16(element.dropFirst(prefix.count), radix: 16)
    }

    private struct Composer {
        let objects: DaemonObjects
        let device: DBusObjectPath
        var attributes: [AttributeHandle: Attribute] = [:]
        /// The services that other services include.
        private var included: Set<DBusObjectPath> = []

        init(objects: DaemonObjects, device: DBusObjectPath) {
            (self.objects, self.device) = (objects, device)
        }

        /// An object with the handle in its path.
        typealias Numbered = (handle: UInt16, path: DBusObjectPath)

        mutating func services() -> [GATT.DiscoveredService]? {
            let starts = numbered(BlueZ.Interface.gattService, "service", below: device)
            included = Set(starts.flatMap { includes(of: $0.path) })
            var services: [GATT.DiscoveredService] = []
            for (index, start) in starts.enumerated() {
                // BlueZ does not report the last handle of a service.
                let next = index + 1 < starts.count ? starts[index + 1].handle : nil
                guard let service = service(start, before: next) else { return nil }
                services.append(service)
            }
            let found = Dictionary(
                zip(starts.map(\.path), services.map(\.service)),
                uniquingKeysWith: { first, _ in first }
            )
            return zip(starts, services).map { adding(found, to: $1, at: $0.path) }
        }

        /// Adds the includes of a service. BlueZ does not report the handles of their declarations,
        /// which follow the declaration of the service (Vol 3, Part G, 3.1).
        private func adding(
            _ services: [DBusObjectPath: GATT.Service],
            to found: GATT.DiscoveredService,
            at path: DBusObjectPath
        ) -> GATT.DiscoveredService {
            let included = includes(of: path).compactMap { services[$0] }
            var handle = found.service.handle
            let end = found.characteristics.first?.characteristic.handle
            var includes: [GATT.IncludedService] = []
            for service in included {
                guard let next = handle.next, next <= found.service.endHandle,
                    end.map({ next < $0 }) ?? true
                else { break }
                includes.append(GATT.IncludedService(handle: next, service: service))
                handle = next
            }
            return GATT.DiscoveredService(
                service: found.service,
                includes: includes,
                characteristics: found.characteristics
            )
        }

        private func includes(of path: DBusObjectPath) -> [DBusObjectPath] {
            let properties = objects.properties(path, BlueZ.Interface.gattService)
            return (properties?["Includes"]?.elements ?? []).compactMap(\.objectPath)
        }

        /// Returns whether a service is primary. If a primary service of a new firmware replaces a
        /// service, BlueZ shows the new one as secondary (src/shared/gatt-client.c,
        /// `discovery_parse_services`). A secondary service that no other service includes is
        /// therefore treated as primary.
        private func isPrimary(_ path: DBusObjectPath, _ properties: DaemonObjects.Properties)
            -> Bool
        {
            properties["Primary"]?.boolean ?? true || !included.contains(path)
        }

        private func numbered(
            _ interface: String,
            _ prefix: String,
            below path: DBusObjectPath
        ) -> [Numbered] {
            objects.paths(with: interface, below: path).compactMap { path in
                DaemonTable.number(of: path, after: prefix).map { (handle: $0, path: path) }
            }.sorted { $0.handle < $1.handle }
        }

        private mutating func service(
            _ start: Numbered,
            before next: UInt16?
        ) -> GATT.DiscoveredService? {
            let interface = BlueZ.Interface.gattService
            guard let properties = objects.properties(start.path, interface),
                let uuid = uuid(in: properties)
            else { return nil }
            let values = numbered(BlueZ.Interface.gattCharacteristic, "char", below: start.path)
            let end = next.map { $0 &- 1 } ?? lastHandle(of: values, from: start.handle)
            guard start.handle > 0, end >= start.handle else { return nil }
            var characteristics: [GATT.DiscoveredCharacteristic] = []
            for (index, value) in values.enumerated() {
                let last = index + 1 < values.count ? values[index + 1].handle &- 1 : end
                guard let found = characteristic(value, through: last) else { return nil }
                characteristics.append(found)
            }
            return GATT.DiscoveredService(
                service: GATT.Service(
                    uuid: uuid,
                    isPrimary: isPrimary(start.path, properties),
                    handle: AttributeHandle(start.handle),
                    endHandle: AttributeHandle(end)
                ),
                characteristics: characteristics
            )
        }

        /// Returns the last handle of the last service, which BlueZ does not report. If the last
        /// characteristic has no descriptor, the service gets one more handle, for a configuration
        /// descriptor that the daemon does not show.
        private func lastHandle(of values: [Numbered], from start: UInt16) -> UInt16 {
            guard let last = values.last else { return start }
            let descriptors = numbered(BlueZ.Interface.gattDescriptor, "desc", below: last.path)
            let end = descriptors.last?.handle ?? min(last.handle, .max - 2) + 2
            return max(end, min(last.handle, .max - 1) + 1)
        }

        private mutating func characteristic(
            _ start: Numbered,
            through last: UInt16
        ) -> GATT.DiscoveredCharacteristic? {
            let interface = BlueZ.Interface.gattCharacteristic
            guard let properties = objects.properties(start.path, interface),
                let uuid = uuid(in: properties), start.handle > 0, start.handle < last
            else { return nil }
            let valueHandle = AttributeHandle(start.handle + 1)
            let flags = Set((properties["Flags"]?.elements ?? []).compactMap(\.string))
            let characteristic = GATT.Characteristic(
                uuid: uuid,
                handle: AttributeHandle(start.handle),
                valueHandle: valueHandle,
                properties: GATT.CharacteristicProperties(flags: flags),
                endHandle: AttributeHandle(last)
            )
            attributes[valueHandle] = .value(start.path)
            return GATT.DiscoveredCharacteristic(
                characteristic: characteristic,
                descriptors: descriptors(of: characteristic, at: start.path)
            )
        }

        private mutating func descriptors(
            of characteristic: GATT.Characteristic,
            at path: DBusObjectPath
        ) -> [GATT.Descriptor] {
            let configuration = GATT.AttributeType.clientCharacteristicConfiguration
            var found: [GATT.Descriptor] = []
            for item in numbered(BlueZ.Interface.gattDescriptor, "desc", below: path) {
                let interface = BlueZ.Interface.gattDescriptor
                guard let properties = objects.properties(item.path, interface),
                    let uuid = uuid(in: properties)
                else { continue }
                let handle = AttributeHandle(item.handle)
                attributes[handle] =
                    uuid == configuration ? .configuration(path) : .descriptor(item.path)
                found.append(GATT.Descriptor(uuid: uuid, handle: handle))
            }
            let needsConfiguration = !characteristic.properties.isDisjoint(with: [
                .notify, .indicate,
            ])
            if needsConfiguration, !found.contains(where: { $0.uuid == configuration }),
                let free = freeHandle(in: characteristic, found)
            {
                attributes[free] = .configuration(path)
                found.append(GATT.Descriptor(uuid: configuration, handle: free))
                found.sort { $0.handle < $1.handle }
            }
            return found
        }

        /// Returns a handle for the configuration descriptor that the daemon does not show.
        private func freeHandle(
            in characteristic: GATT.Characteristic,
            _ found: [GATT.Descriptor]
        ) -> AttributeHandle? {
            guard let range = characteristic.descriptorHandles else { return nil }
            let taken = Set(found.map(\.handle.rawValue))
            return (range.lowerBound.rawValue...range.upperBound.rawValue)
                .first { !taken.contains($0) }.map { AttributeHandle($0) }
        }

        private func uuid(in properties: DaemonObjects.Properties) -> BluetoothUUID? {
            properties["UUID"]?.string.flatMap { BluetoothUUID($0) }
        }
    }
}

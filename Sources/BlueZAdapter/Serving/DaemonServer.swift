// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothPort
import DBus
import HCITransports

/// The services that this program publishes, as objects that the daemon reads
/// (org.bluez.GattManager1).
///
/// Each service is registered as an application of its own (`RegisterApplication`), so that
/// publishing one does not remove the others. The daemon chooses the handles on the air. The
/// handles here only distinguish the attributes.
struct DaemonServer: Sendable {
    /// The maximum number of requests that wait for an answer. A client has one at a time.
    static let questionLimit = 256

    /// A service with the root of its objects.
    struct Service: Sendable {
        let root: DBusObjectPath
        let published: GATT.DiscoveredService
        var objects: DaemonObjectTree
    }

    /// A call of the daemon that waits for an answer.
    struct Question: Sendable {
        let call: DBusMessage
        let link: LinkIdentifier
        let isRead: Bool
    }

    /// A client's subscription to the values of a characteristic. Before BlueZ 5.69, the first
    /// client represents all clients that subscribe.
    struct Subscription: Hashable, Sendable {
        let handle: AttributeHandle
        let link: LinkIdentifier
    }

    var database = AttributeDatabase()
    /// The services, in the order in which they were published.
    var services: [Service] = []
    var questions: [GATTServer.RequestID: Question] = [:]
    /// The sockets for the values of the subscriptions.
    var subscriptions: [Subscription: PacketSocket] = [:]

    /// Publishes a service.
    ///
    /// - Parameter number: A number that no other service has had.
    /// - Throws: `GATT.DefinitionError`, or `PortError.unsupported` for a service that includes
    ///   other services: the daemon would require them in the same application.
    mutating func publish(
        _ definition: GATT.ServiceDefinition,
        number: UInt64
    ) throws -> Service {
        guard definition.includes.isEmpty else { throw PortError.unsupported(.server) }
        // The daemon itself serves these services.
        let reserved = [
            GATT.AttributeType.genericAccess, GATT.AttributeType.genericAttribute,
        ]
        guard !reserved.contains(definition.uuid) else {
            throw GATT.DefinitionError.reserved(definition.uuid)
        }
        guard let root = DBusObjectPath("/org/lanyard/service\(number)") else {
            throw PortError.outOfSpace
        }
        let published = try database.publish(definition)
        let objects = DaemonObjectTree(of: published, in: database, at: root)
        let service = Service(root: root, published: published, objects: objects)
        services.append(service)
        return service
    }

    /// Removes a service. Returns its root.
    mutating func unpublish(_ service: GATT.DiscoveredService) throws -> DBusObjectPath {
        _ = try database.unpublish(service.service.handle)
        guard let index = services.firstIndex(where: { $0.published == service }) else {
            throw GATT.DefinitionError.notPublished(service.service.handle)
        }
        return services.remove(at: index).root
    }

    /// Returns the service with an object.
    func service(with path: DBusObjectPath) -> Service? {
        services.first { path.isBelow($0.root) }
    }

    /// Returns the attribute of an object.
    func attribute(at path: DBusObjectPath) -> Attribute? {
        service(with: path)?.objects.handles[path].flatMap { database.attribute($0) }
    }
}

/// The objects of a service, with their properties and the handles of their values.
struct DaemonObjectTree: Sendable {
    private(set) var objects: [DBusObjectPath: [String: DaemonObjects.Properties]] = [:]
    private(set) var handles: [DBusObjectPath: AttributeHandle] = [:]

    /// Creates the objects of a service below a root.
    init(
        of service: GATT.DiscoveredService,
        in database: AttributeDatabase,
        at root: DBusObjectPath
    ) {
        guard let path = DBusObjectPath("\(root)/service") else { return }
        objects[path] = [
            BlueZ.Interface.gattService: [
                "UUID": .string(service.service.uuid.bluez),
                "Primary": .boolean(service.service.isPrimary),
            ]
        ]
        for characteristic in service.characteristics {
            add(characteristic, of: path, in: database)
        }
    }

    private mutating func add(
        _ found: GATT.DiscoveredCharacteristic,
        of service: DBusObjectPath,
        in database: AttributeDatabase
    ) {
        let characteristic = found.characteristic
        let number = characteristic.valueHandle.rawValue
        guard let path = DBusObjectPath("\(service)/value\(number)"),
            let attribute = database.attribute(characteristic.valueHandle)
        else { return }
        var properties: DaemonObjects.Properties = [
            "UUID": .string(characteristic.uuid.bluez), "Service": .objectPath(service),
            "Flags": .strings(characteristic.properties.flags(with: attribute.permissions)),
        ]
        if !characteristic.properties.isDisjoint(with: [.notify, .indicate]) {
            // The property makes the daemon call AcquireNotify, which names the client.
            properties["NotifyAcquired"] = .boolean(false)
        }
        objects[path] = [BlueZ.Interface.gattCharacteristic: properties]
        handles[path] = characteristic.valueHandle
        for descriptor in found.descriptors { add(descriptor, of: path, in: database) }
    }

    private mutating func add(
        _ descriptor: GATT.Descriptor,
        of characteristic: DBusObjectPath,
        in database: AttributeDatabase
    ) {
        // The daemon itself adds these descriptors.
        let own = [
            GATT.AttributeType.clientCharacteristicConfiguration,
            GATT.AttributeType.characteristicExtendedProperties,
        ]
        let number = descriptor.handle.rawValue
        guard !own.contains(descriptor.uuid),
            let path = DBusObjectPath("\(characteristic)/descriptor\(number)"),
            let attribute = database.attribute(descriptor.handle)
        else { return }
        objects[path] = [
            BlueZ.Interface.gattDescriptor: [
                "UUID": .string(descriptor.uuid.bluez),
                "Characteristic": .objectPath(characteristic),
                "Flags": .strings(attribute.permissions.flags),
            ]
        ]
        handles[path] = descriptor.handle
    }

    /// The reply to GetManagedObjects (`a{oa{sa{sv}}}`).
    var value: DBusValue {
        .dictionary(
            .objectPath,
            .dictionary(.string, .dictionary(.string, .variant)),
            objects.sorted { $0.key < $1.key }
                .map { path, interfaces in
                    let entries = interfaces.map {
                        DBusValue.Entry(.string($0.key), .properties($0.value))
                    }
                    return DBusValue.Entry(
                        .objectPath(path),
                        .dictionary(.string, .dictionary(.string, .variant), entries)
                    )
                }
        )
    }
}

extension DBusValue {
    static func strings(_ strings: [String]) -> DBusValue {
        .array(.string, strings.map { .string($0) })
    }
}

extension BluetoothUUID {
    /// The UUID in the daemon's form: all 128 bits, in lowercase letters.
    var bluez: String {
        let text = description.lowercased()
        guard text.count <= 8 else { return text }
        return String(repeating: "0", count: 8 - text.count) + text
            + "-0000-1000-8000-00805f9b34fb"
    }
}

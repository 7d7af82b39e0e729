// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

extension SimpleAccessoryProfile {
    /// The services that every device has, unless the profile defines them itself, followed by the
    /// profile's services.
    var allServices: [Service] {
        commonServices.filter { common in !services.contains { $0.uuid == common.uuid } } + services
    }

    /// Removes all services with the UUID, and the services that include them.
    mutating func removeServices(_ uuid: BluetoothUUID) {
        var removed: Set = [uuid]
        services.removeAll { service in
            guard service.uuid == uuid || !removed.isDisjoint(with: service.includes) else {
                return false
            }
            removed.insert(service.uuid)
            return true
        }
    }

    /// Generic Access (Vol 3, Part C, 12) and Generic Attribute (Vol 3, Part G, 7) with the least
    /// content, as simple devices have them.
    private var commonServices: [Service] {
        let looks = [UInt8(truncatingIfNeeded: appearance), UInt8(appearance >> 8)]
        return [
            Service(
                GATT.AttributeType.genericAccess,
                [
                    .init(GATT.AttributeType.deviceName, .read, value: Array(name.utf8)),
                    .init(GATT.AttributeType.appearance, .read, value: looks),
                ]
            ),
            Service(
                GATT.AttributeType.genericAttribute,
                [.init(GATT.AttributeType.serviceChanged, .indicate)]
            ),
        ]
    }
}

extension SimpleAccessoryProfile.Service {
    /// The definition for the GATT server.
    var definition: GATT.ServiceDefinition {
        var definition = GATT.ServiceDefinition(
            uuid,
            isPrimary: isPrimary,
            characteristics.map(\.definition)
        )
        definition.includes = includes.map { .uuid($0) }
        return definition
    }
}

extension SimpleAccessoryProfile.Characteristic {
    /// The definition for the GATT server. A value with a reaction is dynamic: `AccessoryServer`
    /// answers each request for it. `GATTServer` stores all other values.
    fileprivate var definition: GATT.CharacteristicDefinition {
        .init(
            uuid,
            properties,
            permissions: permissions,
            value: reaction == nil ? .stored(value) : .dynamic,
            descriptors: descriptors
        )
    }

    /// The permissions that follow from the properties, for links that meet the requirement.
    private var permissions: GATT.Permissions {
        var permissions = GATT.Permissions(properties)
        if permissions.read != nil { permissions.read = requirement }
        if permissions.write != nil { permissions.write = requirement }
        permissions.subscribe = requirement
        return permissions
    }
}

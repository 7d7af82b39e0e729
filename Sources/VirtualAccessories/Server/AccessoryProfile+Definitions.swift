// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

extension AccessoryProfile {
    /// The services that every device has, as far as the profile does not describe them itself, and
    /// then the profile's.
    var allServices: [Service] {
        commonServices.filter { common in !services.contains { $0.uuid == common.uuid } } + services
    }

    /// Generic Access (Vol 3, Part C, 12) and Generic Attribute (Vol 3, Part G, 7), with the least
    /// that they can hold: simple devices have no more.
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

extension AccessoryProfile.Service {
    /// What a server publishes.
    var definition: GATT.ServiceDefinition {
        .init(uuid, isPrimary: isPrimary, characteristics.map(\.definition))
    }
}

extension AccessoryProfile.Characteristic {
    /// A value with a reaction is the application's, any other the server's.
    fileprivate var definition: GATT.CharacteristicDefinition {
        .init(
            uuid,
            properties,
            permissions: permissions,
            value: reaction == nil ? .stored(value) : .dynamic,
            descriptors: descriptors.map { .init($0.uuid, value: .stored($0.value)) }
        )
    }

    /// What the properties announce, for links that are protected well enough.
    private var permissions: GATT.Permissions {
        var permissions = GATT.Permissions(properties)
        if permissions.read != nil { permissions.read = requirement }
        if permissions.write != nil { permissions.write = requirement }
        permissions.subscribe = requirement
        return permissions
    }
}

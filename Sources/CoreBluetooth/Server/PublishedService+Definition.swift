// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothTypes

extension PublishedService {
    /// What the host is to publish; `includes` are the handles of the services that it includes.
    func definition(includes: [AttributeHandle]) -> GATT.ServiceDefinition {
        GATT.ServiceDefinition(
            CBUUID(string: uuid).value,
            isPrimary: isPrimary,
            includes: includes.map { .handle($0) },
            characteristics.map(\.definition),
            handle: handle.map { AttributeHandle($0) }
        )
    }
}

extension PublishedCharacteristic {
    /// What the host is to publish.
    var definition: GATT.CharacteristicDefinition {
        GATT.CharacteristicDefinition(
            CBUUID(string: uuid).value,
            airProperties,
            permissions: hostPermissions,
            value: value.map { .stored($0) } ?? .dynamic,
            descriptors: descriptors.map { descriptor in
                .init(CBUUID(string: descriptor.uuid).value, value: .stored(descriptor.value))
            }
        )
    }

    /// Whether anything about the value asks for encryption.
    var isProtected: Bool {
        let permissions = hostPermissions
        return [permissions.read, permissions.write, permissions.subscribe].contains(.encrypted)
    }

    private var wishes: CBCharacteristicProperties { .init(rawValue: properties) }

    /// What centrals are told. Who asks for encrypted notifications alone asks for notifications.
    private var airProperties: GATT.CharacteristicProperties {
        var air = GATT.CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: properties))
        if wishes.contains(.notifyEncryptionRequired) { air.insert(.notify) }
        if wishes.contains(.indicateEncryptionRequired) { air.insert(.indicate) }
        return air
    }

    private var hostPermissions: GATT.Permissions {
        let allowed = CBAttributePermissions(rawValue: permissions)
        let isSubscriptionProtected = !wishes.isDisjoint(
            with: [.notifyEncryptionRequired, .indicateEncryptionRequired]
        )
        return GATT.Permissions(
            read: allowed.requirement(.readable, .readEncryptionRequired),
            write: allowed.requirement(.writeable, .writeEncryptionRequired),
            subscribe: isSubscriptionProtected ? .encrypted : .open
        )
    }
}

extension CBAttributePermissions {
    /// What an access asks of the link; nil if nobody has it. Where both are given, the stricter one
    /// counts.
    fileprivate func requirement(
        _ open: CBAttributePermissions,
        _ encrypted: CBAttributePermissions
    ) -> SecurityRequirement? {
        if contains(encrypted) { return .encrypted }
        return contains(open) ? .open : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

extension AddedService {
    /// Returns the definition for the host.
    ///
    /// - Parameter includes: The handles of the included services.
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

extension AddedCharacteristic {
    /// The definition for the host.
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

    /// Whether reading, writing or subscribing requires encryption.
    var isProtected: Bool {
        let permissions = hostPermissions
        return [permissions.read, permissions.write, permissions.subscribe].contains(.encrypted)
    }

    private var requested: CBCharacteristicProperties { .init(rawValue: properties) }

    /// The properties that centrals see. A property that requires encryption for notifications or
    /// indications implies that they are supported.
    private var airProperties: GATT.CharacteristicProperties {
        var air = GATT.CharacteristicProperties(rawValue: UInt8(truncatingIfNeeded: properties))
        if requested.contains(.notifyEncryptionRequired) { air.insert(.notify) }
        if requested.contains(.indicateEncryptionRequired) { air.insert(.indicate) }
        return air
    }

    private var hostPermissions: GATT.Permissions {
        let allowed = CBAttributePermissions(rawValue: permissions)
        let isSubscriptionProtected = !requested.isDisjoint(
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
    /// Returns the security that an access requires. `nil` if the access is not permitted. If both
    /// permissions are given, the stricter one applies.
    fileprivate func requirement(
        _ open: CBAttributePermissions,
        _ encrypted: CBAttributePermissions
    ) -> SecurityRequirement? {
        if contains(encrypted) { return .encrypted }
        return contains(open) ? .open : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

extension AddedService {
    /// Returns the definition for the host.
    ///
    /// - Parameter includes: The handles of the included services.
    func definition(includes: [AttributeHandle]) -> GATT.ServiceDefinition {
        GATT.ServiceDefinition(
            type,
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
            type,
            airProperties,
            permissions: hostPermissions,
            value: value.map { .stored($0) } ?? .dynamic,
            descriptors: descriptors.map { descriptor in
                .init(descriptor.type, value: .stored(descriptor.value))
            }
        )
    }

    /// Whether reading, writing or subscribing requires encryption.
    var isProtected: Bool {
        let permissions = hostPermissions
        return [permissions.read, permissions.write, permissions.subscribe].contains(.encrypted)
    }

    /// The properties that centrals see. A property that requires encryption for notifications or
    /// indications implies that they are supported.
    private var airProperties: GATT.CharacteristicProperties {
        var air = GATT.CharacteristicProperties(
            rawValue: UInt8(truncatingIfNeeded: properties.rawValue)
        )
        if properties.contains(.notifyEncryptionRequired) { air.insert(.notify) }
        if properties.contains(.indicateEncryptionRequired) { air.insert(.indicate) }
        return air
    }

    private var hostPermissions: GATT.Permissions {
        let isSubscriptionProtected = !properties.isDisjoint(
            with: [.notifyEncryptionRequired, .indicateEncryptionRequired]
        )
        return GATT.Permissions(
            read: permissions.requirement(.readable, .readEncryptionRequired),
            write: permissions.requirement(.writeable, .writeEncryptionRequired),
            subscribe: isSubscriptionProtected ? .encrypted : .open
        )
    }
}

extension ServedPermissions {
    /// Returns the security that an access requires; `nil` if the access is not permitted. If both
    /// permissions are given, the stricter one applies.
    fileprivate func requirement(
        _ open: ServedPermissions,
        _ encrypted: ServedPermissions
    ) -> SecurityRequirement? {
        if contains(encrypted) { return .encrypted }
        return contains(open) ? .open : nil
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension GATT.DescriptorDefinition {
    /// The types of descriptors that a characteristic can have only once (Vol 3, Part G, 3.3.3).
    static let singleTypes: Set<BluetoothUUID> = [
        GATT.AttributeType.characteristicExtendedProperties,
        GATT.AttributeType.characteristicUserDescription,
        GATT.AttributeType.clientCharacteristicConfiguration,
        GATT.AttributeType.serverCharacteristicConfiguration,
        GATT.AttributeType.characteristicAggregateFormat,
    ]
}

extension GATT.CharacteristicDefinition {
    /// The descriptors that the properties require (Vol 3, Part G, 3.3.1.1) and that the definition
    /// omits.
    var impliedDescriptors: [GATT.DescriptorDefinition] {
        var implied: [GATT.DescriptorDefinition] = []
        if properties.contains(.extendedProperties) { implied.append(extendedProperties) }
        if !properties.isDisjoint(with: [.notify, .indicate]) {
            implied.append(Self.configuration)
        }
        if properties.contains(.broadcast) { implied.append(Self.broadcastConfiguration) }
        return implied.filter { one in !descriptors.contains { $0.uuid == one.uuid } }
    }

    /// The Extended Properties descriptor. Reliable Write is set if the value can be written, and
    /// Writable Auxiliaries if the definition makes the user description writable (Vol 3, Part G,
    /// 3.3.3.1).
    private var extendedProperties: GATT.DescriptorDefinition {
        let hasWritableDescription = descriptors.contains {
            $0.uuid == GATT.AttributeType.characteristicUserDescription
                && $0.permissions.write != nil
        }
        let bits: UInt8 =
            (permissions.write != nil ? 1 << 0 : 0) | (hasWritableDescription ? 1 << 1 : 0)
        return .init(
            GATT.AttributeType.characteristicExtendedProperties,
            value: .stored([bits, 0])
        )
    }

    private static let configuration = GATT.DescriptorDefinition(
        GATT.AttributeType.clientCharacteristicConfiguration,
        permissions: .init(read: .open, write: .open),
        value: .dynamic
    )

    private static let broadcastConfiguration = GATT.DescriptorDefinition(
        GATT.AttributeType.serverCharacteristicConfiguration,
        permissions: .init(read: .open, write: .open),
        value: .stored([0, 0], maximumLength: 2)
    )
}

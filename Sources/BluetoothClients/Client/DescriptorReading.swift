// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The value of a descriptor that was read: a text, a number or bytes, depending on the
/// descriptor's UUID (Vol 3, Part G, 3.3.3).
package enum DescriptorReading: Hashable, Sendable {
    /// A user description. Invalid UTF-8 becomes replacement characters.
    case text(String)
    /// The first two bytes of a configuration or of the extended properties, least significant byte
    /// first.
    case number(UInt16)
    case bytes([UInt8])

    private static let numbers: Set<BluetoothUUID> = [
        GATT.AttributeType.characteristicExtendedProperties,
        GATT.AttributeType.clientCharacteristicConfiguration,
        GATT.AttributeType.serverCharacteristicConfiguration,
    ]

    package init(of uuid: BluetoothUUID, _ bytes: [UInt8]) {
        if uuid == GATT.AttributeType.characteristicUserDescription {
            self = .text(String(decoding: bytes, as: UTF8.self))
        } else if Self.numbers.contains(uuid) {
            self = .number(bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) })
        } else {
            self = .bytes(bytes)
        }
    }
}

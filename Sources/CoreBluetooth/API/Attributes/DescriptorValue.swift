// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Foundation

/// The values of descriptors as the API represents them. Their types depend on the UUID (Vol 3,
/// Part G, 3.3.3).
enum DescriptorValue {
    private static let numbers: Set<BluetoothUUID> = [
        GATT.AttributeType.characteristicExtendedProperties,
        GATT.AttributeType.clientCharacteristicConfiguration,
        GATT.AttributeType.serverCharacteristicConfiguration,
    ]

    /// Returns the value that a descriptor's bytes represent: an `NSNumber`, a `String` or `Data`.
    ///
    /// Invalid UTF-8 becomes replacement characters. Only the first two bytes of a number are used.
    static func value(of uuid: BluetoothUUID, bytes: Data) -> Any {
        if uuid == GATT.AttributeType.characteristicUserDescription {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard numbers.contains(uuid) else { return bytes }
        let number = bytes.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        return NSNumber(value: number)
    }

    /// Returns the bytes of a descriptor's value that the application publishes: a `String` for
    /// 2901, `Data` for 2904. `nil` for any other combination.
    static func bytes(of uuid: BluetoothUUID, value: Any?) -> [UInt8]? {
        switch uuid {
        case GATT.AttributeType.characteristicUserDescription:
            (value as? String).map { [UInt8]($0.utf8) }
        case GATT.AttributeType.characteristicPresentationFormat:
            (value as? Data).map { [UInt8]($0) }
        default: nil
        }
    }
}

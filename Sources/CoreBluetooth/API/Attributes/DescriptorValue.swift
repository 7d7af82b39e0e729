// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothTypes
import Foundation

/// Descriptors' values as the API shows them: the types depend on the UUID (Vol 3, Part G, 3.3.3).
enum DescriptorValue {
    private static let numbers: Set<BluetoothUUID> = [
        GATT.AttributeType.characteristicExtendedProperties,
        GATT.AttributeType.clientCharacteristicConfiguration,
        GATT.AttributeType.serverCharacteristicConfiguration,
    ]

    /// What octets of a descriptor stand for: an NSNumber, a String or Data.
    ///
    /// Text that is no UTF-8 is shown with replacement characters; of a number only the first two
    /// octets count.
    static func value(of uuid: BluetoothUUID, octets: Data) -> Any {
        if uuid == GATT.AttributeType.characteristicUserDescription {
            return String(decoding: octets, as: UTF8.self)
        }
        guard numbers.contains(uuid) else { return octets }
        let number = octets.prefix(2).reversed().reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        return NSNumber(value: number)
    }

    /// The octets of a value that an application gives to a descriptor that it publishes: a String
    /// for 2901, Data for 2904; nil for what does not fit.
    static func octets(of uuid: BluetoothUUID, value: Any?) -> [UInt8]? {
        switch uuid {
        case GATT.AttributeType.characteristicUserDescription:
            (value as? String).map { [UInt8]($0.utf8) }
        case GATT.AttributeType.characteristicPresentationFormat:
            (value as? Data).map { [UInt8]($0) }
        default: nil
        }
    }
}

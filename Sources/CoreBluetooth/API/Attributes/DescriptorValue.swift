// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import BluetoothPort
import Foundation

/// The values of descriptors as the API represents them. Their types depend on the UUID (Vol 3,
/// Part G, 3.3.3).
enum DescriptorValue {
    /// Returns the value that a descriptor's bytes represent: an `NSNumber`, a `String` or `Data`.
    static func value(of uuid: BluetoothUUID, bytes: Data) -> Any {
        switch DescriptorReading(of: uuid, [UInt8](bytes)) {
        case .text(let text): text
        case .number(let number): NSNumber(value: number)
        case .bytes: bytes
        }
    }

    /// Returns the bytes of a descriptor's value that the app publishes: a `String` for
    /// 2901, `Data` for 2904; `nil` for any other combination.
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

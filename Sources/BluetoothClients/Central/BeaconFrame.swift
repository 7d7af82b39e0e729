// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The frames of iBeacons. The framework hides them, as Apple's does: applications use Core
/// Location for iBeacons.
///
/// A frame is manufacturer data of Apple with type 2 and 21 more bytes (Proximity Beacon
/// Specification).
package enum BeaconFrame {
    private static let company: UInt16 = 0x004C
    private static let head: [UInt8] = [0x02, 0x15]
    private static let byteCount = 23

    /// Returns whether a packet contains a frame.
    static func isFrame(_ packet: [UInt8]) -> Bool {
        AdvertisingData(packet).allManufacturerData.contains(where: isFrame)
    }

    /// Returns whether manufacturer data is a frame.
    package static func isFrame(_ data: AdvertisingData.ManufacturerData) -> Bool {
        data.company == company && data.bytes.count == byteCount && data.bytes.starts(with: head)
    }
}

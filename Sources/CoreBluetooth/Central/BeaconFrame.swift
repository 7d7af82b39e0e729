// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP

/// The frames of iBeacons, which applications are to know by their location only: the framework hides
/// them.
///
/// A frame is manufacturer data of Apple, with type 2 and 21 octets (Proximity Beacon Specification).
enum BeaconFrame {
    private static let company: UInt16 = 0x004C
    private static let head: [UInt8] = [0x02, 0x15]
    private static let octetCount = 23

    /// Whether a packet is such a frame.
    static func isOne(_ packet: [UInt8]) -> Bool {
        AdvertisingData(packet).allManufacturerData.contains(where: isOne)
    }

    /// Whether manufacturer data makes a packet such a frame.
    static func isOne(_ data: AdvertisingData.ManufacturerData) -> Bool {
        data.company == company && data.bytes.count == octetCount && data.bytes.starts(with: head)
    }
}

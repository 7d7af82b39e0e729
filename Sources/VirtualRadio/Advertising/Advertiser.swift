// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// What a controller advertises: the one set of the legacy commands, or several.
package struct Advertiser: Sendable {
    /// How many sets there may be.
    let setLimit: Int

    init(setLimit: Int) {
        self.setLimit = setLimit
    }

    /// The legacy advertising commands (Vol 4, Part E, 7.8.5 to 7.8.9).
    static let legacyHandlers: [CommandHandler] = []
    /// The extended advertising commands (Vol 4, Part E, 7.8.52 to 7.8.60).
    static let extendedHandlers: [CommandHandler] = []
}

extension VirtualController {
    /// The next event of the set, or the next packet of its event, is due.
    mutating func advertise(_ set: UInt8, _ ether: inout Ether) {}

    /// The set has advertised for as long as it was asked to.
    mutating func advertisingEnds(_ set: UInt8, _ ether: inout Ether) {}

    /// A packet of a set has ended, and all that heard it have acted on it.
    mutating func advertiserTransmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {}

    /// Somebody wants a scan response.
    mutating func hear(
        _ request: ScanRequest,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {}

    /// Somebody wants a connection.
    mutating func hear(
        _ request: ConnectionRequest,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {}
}

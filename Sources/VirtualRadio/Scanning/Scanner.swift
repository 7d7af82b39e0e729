// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// How a controller scans.
package struct Scanner: Sendable {
    init() {}

    /// The scanning commands (Vol 4, Part E, 7.8.10, 7.8.11, 7.8.64, 7.8.65).
    static let handlers: [CommandHandler] = []
}

extension VirtualController {
    /// The next scan interval begins.
    mutating func scanPeriodBegins(_ ether: inout Ether) {}

    /// Scanning has lasted as long as it was asked to.
    mutating func scanEnds(_ ether: inout Ether) {}

    /// A turn to an auxiliary packet, or the end of a wait for an answer, is due.
    mutating func listeningTurns(_ token: UInt64, _ ether: inout Ether) {}

    /// Whether the scanner listened to the packet.
    func scannerListens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool { false }

    /// The scanner or the initiator may have listened: an advertisement or a response.
    mutating func scannerHears(
        _ packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {}

    /// Its scan request has ended.
    mutating func scannerTransmitted(_ packet: AdvertisingPacket, _ ether: inout Ether) {}
}

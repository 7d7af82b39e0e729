// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// Whom a controller wants to connect to.
package struct Initiator: Sendable {
    /// Where the radio is; nil while it does not initiate.
    var plan: ListeningPlan?
    /// The packets that are waited for on secondary channels.
    var follows: [AuxiliaryFollow] = []

    init() {}

    /// The initiating commands (Vol 4, Part E, 7.8.12, 7.8.13, 7.8.66).
    static let handlers: [CommandHandler] = []
}

extension VirtualController {
    /// Whether the initiator listened to the packet.
    func initiatorListens(to packet: AdvertisingPacket, _ ether: Ether) -> Bool { false }

    /// An advertisement has arrived, to which the initiator may have listened.
    mutating func initiatorHears(
        _ packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {}

    /// Its connection request has ended.
    mutating func initiatorTransmitted(
        _ request: ConnectionRequest,
        _ packet: AdvertisingPacket,
        _ ether: inout Ether
    ) {}

    /// The advertiser has answered a connection request on a secondary channel.
    mutating func hear(
        _ response: ConnectionResponse,
        in packet: AdvertisingPacket,
        rssi: Int8,
        _ ether: inout Ether
    ) {}
}

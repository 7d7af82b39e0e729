// SPDX-License-Identifier: Apache-2.0

/// The packets of legacy advertising, scanning and initiating, all of which use LE 1M (Vol 6, Part
/// B, 2.3).
package enum LegacyAdvertisingPDU: Hashable, Sendable {
    /// An undirected advertisement (ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND) with `dataLength` bytes
    /// of data.
    case advertisement(dataLength: Int)
    /// An advertisement directed to one device, without data (ADV_DIRECT_IND).
    case directedAdvertisement
    /// A scan request (SCAN_REQ).
    case scanRequest
    /// A scan response with `dataLength` bytes of data (SCAN_RSP).
    case scanResponse(dataLength: Int)
    /// A connection request (CONNECT_IND).
    case connectionRequest

    /// The length of header and payload in bytes. At most 31 bytes of data count, because no
    /// controller accepts more.
    package var length: Int {
        switch self {
        case .advertisement(let dataLength), .scanResponse(let dataLength):
            PacketLength.header + PacketLength.address
                + min(dataLength, PacketLength.legacyDataLimit)
        case .directedAdvertisement, .scanRequest:
            PacketLength.header + 2 * PacketLength.address
        case .connectionRequest:
            PacketLength.header + 2 * PacketLength.address + PacketLength.connectionParameters
        }
    }

    /// The time that the packet is on the air.
    package var airTime: Duration { Modulation.le1M.airTime(pduLength: length) }
}

/// The timing of advertising events (Vol 6, Part B, 4.4.2.2).
package enum AdvertisingEvent {
    /// The largest random delay that is added to each advertising interval (advDelay), so that two
    /// advertisers that collide once do not collide in every event.
    package static let delayMaximum = Duration.milliseconds(10)
}

// SPDX-License-Identifier: Apache-2.0

/// The packets of legacy advertising, scanning and initiating, which are all sent on LE 1M
/// (Vol 6, Part B, 2.3).
package enum LegacyAdvertisingPDU: Hashable, Sendable {
    /// An undirected advertisement (ADV_IND, ADV_NONCONN_IND, ADV_SCAN_IND) with so many octets
    /// of data.
    case advertisement(dataLength: Int)
    /// An advertisement for one device, without data (ADV_DIRECT_IND).
    case directedAdvertisement
    /// The question for more (SCAN_REQ).
    case scanRequest
    /// The answer to it with so many octets of data (SCAN_RSP).
    case scanResponse(dataLength: Int)
    /// The request that makes a connection (CONNECT_IND).
    case connectionRequest

    /// How many octets header and payload are. Data beyond 31 octets is not counted: no controller
    /// accepts it.
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

    /// How long the packet is on the air.
    package var airTime: Duration { Modulation.le1M.airTime(pduLength: length) }
}

/// The rhythm of advertising (Vol 6, Part B, 4.4.2.2).
package enum AdvertisingEvent {
    /// Each event comes later than the interval asks by a random time of up to this, so that two
    /// advertisers which collide do not collide for ever.
    package static let delayMaximum = Duration.milliseconds(10)

    /// How many events per second an advertiser has on average.
    package static func meanRate(interval: Duration) -> Double {
        1 / ((interval + delayMaximum / 2) / .seconds(1))
    }

    /// How long it takes on one channel to advertise, to be asked for more, and to answer.
    package static func activeExchange(
        dataLength: Int,
        responseLength: Int,
        frameSpace: Duration = FrameSpace.betweenFrames
    ) -> Duration {
        LegacyAdvertisingPDU.advertisement(dataLength: dataLength).airTime + frameSpace
            + LegacyAdvertisingPDU.scanRequest.airTime + frameSpace
            + LegacyAdvertisingPDU.scanResponse(dataLength: responseLength).airTime
    }
}

// SPDX-License-Identifier: Apache-2.0

/// How much a channel holds on its way between the application and the host.
struct ChannelLimits: Equatable, Sendable {
    /// The longest SDU that this side takes, in octets: what the host was told when it opened the
    /// channel.
    var receiveMTU = 2_048
    /// The longest SDU that the peer takes, in octets.
    var sendMTU: Int
    /// How many received octets may wait for the application. While there is no room for a whole
    /// SDU none is taken from the host, which then gives the peer no credits.
    var receiveCapacity = 16_384
    /// How many written octets may wait for the peer.
    var sendCapacity = 16_384
    /// How many SDUs the host may have at a time: one that leaves, and one that is next.
    var sendsInFlightLimit = 2

    init(sendMTU: Int) {
        self.sendMTU = sendMTU
    }
}

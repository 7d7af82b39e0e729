// SPDX-License-Identifier: Apache-2.0

/// The limits of the buffers between the application and the host.
package struct ChannelLimits: Equatable, Sendable {
    /// The length of the longest SDU that this device accepts, in bytes, as passed to the host when
    /// the channel was opened.
    var receiveMTU = 2_048
    /// The length of the longest SDU that the peer accepts, in bytes.
    package var sendMTU: Int
    /// The number of received bytes that can wait for the application. While there is no space for
    /// a whole SDU, `ChannelPipe` requests none, and the host gives the peer no credits.
    var receiveCapacity = 16_384
    /// The number of written bytes that can wait for the peer.
    var sendCapacity = 16_384
    /// The number of SDUs that the host has at a time: the one that is being sent, and the next
    /// one.
    var sendsInFlightLimit = 2

    package init(sendMTU: Int) {
        self.sendMTU = sendMTU
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A credit-based channel of either mode, from its request to its end.
struct CreditBasedChannel: Sendable {
    enum Phase: Equatable, Sendable {
        /// The local host requested the channel with this signaling identifier.
        case opening(Signaling.Identifier)
        case open
        /// The local host requested the disconnection and awaits the response. No data is
        /// transferred.
        case closing
    }

    let local: ChannelIdentifier
    /// The peer's end, or zero until it is known.
    var remote: ChannelIdentifier
    let spsm: L2CAP.SPSM
    let mode: L2CAP.Mode
    var phase: Phase
    var sender: ChannelSender
    var receiver: ChannelReceiver
}

/// The state of an open channel at one moment.
package struct ChannelDescription: Equatable, Sendable {
    package let spsm: L2CAP.SPSM
    package let mode: L2CAP.Mode
    /// The maximum length of an SDU that the local side receives, in bytes.
    package let receiveMTU: Int
    /// The maximum length of an SDU that the peer receives, in bytes.
    package let sendMTU: Int
    /// The number of frames that the peer may send now.
    package let receiveCredits: Int
    /// The number of frames that the local side may send now.
    package let sendCredits: Int
}

// SPDX-License-Identifier: Apache-2.0

/// One channel with credits, of either mode, from the request for it to the end of it.
struct CreditBasedChannel: Sendable {
    enum Phase: Equatable, Sendable {
        /// We asked for it by the request with this identifier.
        case opening(Signalling.Identifier)
        case open
        /// We told the peer to close it, and wait for its answer. Nothing passes any more.
        case closing
    }

    /// Our end.
    let local: ChannelIdentifier
    /// The peer's end; zero until it is known.
    var remote: ChannelIdentifier
    let spsm: L2CAP.SPSM
    let mode: L2CAP.Mode
    var phase: Phase
    var sender: ChannelSender
    var receiver: ChannelReceiver
}

/// What is known of an open channel at one moment.
package struct ChannelDescription: Equatable, Sendable {
    package let spsm: L2CAP.SPSM
    package let mode: L2CAP.Mode
    /// The longest SDU that we receive, in octets.
    package let receiveMTU: Int
    /// The longest SDU that the peer receives, in octets.
    package let sendMTU: Int
    /// How many frames the peer may send now.
    package let receiveCredits: Int
    /// How many frames we may send now.
    package let sendCredits: Int
}

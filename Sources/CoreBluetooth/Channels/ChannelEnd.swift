// SPDX-License-Identifier: Apache-2.0

/// The reason of a channel's end.
enum ChannelEnd: Equatable, Sendable {
    /// The peer closed the channel.
    case closedByPeer
    /// This device closed the channel: the application closed the streams, released the channel, or
    /// unpublished its PSM.
    case closedHere
    /// The link ended, or the peer violated the protocol of the channel.
    case failed(CBError.Code)

    /// The error of the output stream. Each reason is an error for it, because written bytes are no
    /// longer sent.
    var code: CBError.Code {
        switch self {
        case .closedByPeer: .peripheralDisconnected
        case .closedHere: .notConnected
        case .failed(let code): code
        }
    }
}

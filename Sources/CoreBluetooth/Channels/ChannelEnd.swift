// SPDX-License-Identifier: Apache-2.0

/// Why nothing goes through a channel any more.
enum ChannelEnd: Equatable, Sendable {
    /// The peer closed it, in order.
    case closedByPeer
    /// This side closed it: by closing the streams, by letting go of the channel, or because its
    /// number is published no more.
    case closedHere
    /// It broke: the link is gone, or the peer did what a channel does not allow.
    case failed(CBError.Code)

    /// What the output stream says of it. Whoever writes always learns that the bytes go nowhere.
    var code: CBError.Code {
        switch self {
        case .closedByPeer: .peripheralDisconnected
        case .closedHere: .notConnected
        case .failed(let code): code
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothL2CAP

/// A request of the application about the channels of a link.
package enum ChannelRequest: Sendable {
    /// The answer is `channels`.
    case open(L2CAP.SPSM, L2CAP.Mode, count: Int, L2CAP.ChannelOptions)
    /// The answer is `done` when the SDU has left.
    case send([UInt8], ChannelNumber)
    /// The answer is `sdu`, with nil after a graceful end.
    case receive(ChannelNumber)
    /// The answer is `done`.
    case resize([ChannelNumber], mtu: Int, mps: Int)
    /// The answer is `done` when the peer has confirmed the end.
    case close(ChannelNumber)
    /// The answer is `end`.
    case awaitEnd(ChannelNumber)

    /// Whether the request makes room for others, or awaits an end, and so does not count against
    /// `HostCore.requestLimit`.
    var isAlwaysTaken: Bool {
        switch self {
        case .close, .awaitEnd: true
        case .open, .send, .receive, .resize: false
        }
    }
}

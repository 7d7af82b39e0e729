// SPDX-License-Identifier: Apache-2.0

import Foundation

// That the members are implicitly unwrapped is part of Apple's interface.

/// A connection-oriented channel to a peer (Vol 3, Part A, 10): two streams of octets.
///
/// The delegate gets it; the application keeps it, schedules and opens its streams. A channel that is
/// let go of is closed.
open class CBL2CAPChannel: NSObject {
    private struct Ends {
        let peer: CBPeer
        let channel: OpenChannel
        let inputStream: InputStream
        let outputStream: OutputStream
    }

    private let ends: Ends?

    /// A channel to `peer`, with streams that are not open yet.
    init(_ channel: OpenChannel, to peer: CBPeer) {
        ends = Ends(
            peer: peer,
            channel: channel,
            inputStream: ChannelInputStream(channel.pipe),
            outputStream: ChannelOutputStream(channel.pipe)
        )
    }

    /// A channel that leads nowhere: what it has is nil, its PSM 0. Apple's class has this
    /// initialiser too, because every class has it.
    public override init() {
        ends = nil
    }

    /// Who is at the other end: a `CBPeripheral` where this side is the central, a `CBCentral` where
    /// it is the peripheral.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var peer: CBPeer! { ends?.peer }

    /// What the peer sends. Not open yet.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var inputStream: InputStream! { ends?.inputStream }

    /// What is sent to the peer. Not open yet.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var outputStream: OutputStream! { ends?.outputStream }

    /// The number under which the channel was published.
    open var psm: CBL2CAPPSM { ends?.channel.psm ?? 0 }
}

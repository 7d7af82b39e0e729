// SPDX-License-Identifier: Apache-2.0

import BluetoothClients
import Foundation

// Apple's interface declares implicitly unwrapped members.

/// A connection-oriented channel to a peer (Vol 3, Part A, 10): an input stream and an output
/// stream.
///
/// The delegate receives it. The app keeps it, and schedules and opens its streams. A channel that
/// is released closes after the written bytes are sent.
open class CBL2CAPChannel: NSObject {
    private struct Ends {
        let peer: CBPeer
        let channel: OpenChannel
        let inputStream: InputStream
        let outputStream: OutputStream
    }

    private let ends: Ends?

    /// Creates a channel to `peer`. Its streams are not open.
    init(_ channel: OpenChannel, to peer: CBPeer) {
        ends = Ends(
            peer: peer,
            channel: channel,
            inputStream: ChannelInputStream(channel.pipe),
            outputStream: ChannelOutputStream(channel.pipe)
        )
    }

    /// Creates a channel without a peer. Its streams are `nil` and its PSM is 0. Apple's class
    /// inherits this initializer.
    public override init() {
        ends = nil
    }

    /// The peer: a `CBPeripheral` if this device is the central, a `CBCentral` if it is the
    /// peripheral.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var peer: CBPeer! { ends?.peer }

    /// The stream of the bytes that the peer sends. The app opens it.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var inputStream: InputStream! { ends?.inputStream }

    /// The stream of the bytes that are sent to the peer. The app opens it.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var outputStream: OutputStream! { ends?.outputStream }

    /// The PSM under which the channel was published.
    open var psm: CBL2CAPPSM { ends?.channel.psm ?? 0 }

    /// The text that Apple's logs show for a channel.
    open override var description: String {
        summary(
            ["peer": ends?.peer.description ?? "(null)", "psm": "\(psm)"],
            afterAddress: " "
        )
    }
}

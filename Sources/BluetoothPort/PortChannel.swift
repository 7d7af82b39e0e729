// SPDX-License-Identifier: Apache-2.0

/// A receiver of the beginning and the end of work on other threads. See `HostExecutor`.
package protocol OutsideWork: Sendable {
    func beginOutsideWork()
    func endOutsideWork()
}

/// The port's side of a channel. A run loop's work for a stream delegate is outside work: virtual
/// time stops while it lasts.
package protocol ChannelEngine: OutsideWork {
    /// Performs `turn` on the port's executor, later and in the order of the calls. May be called
    /// on any thread.
    func enter(_ turn: @escaping @Sendable (any ChannelTurn) -> Void)
}

/// An open channel.
package protocol PortChannel: ChannelEngine {
    var psm: L2CAP.SPSM { get }
    var link: LinkIdentifier { get }
    /// The maximum length in bytes of an SDU that the peer accepts.
    var sendMTU: Int { get }
    /// The maximum length in bytes of an SDU that the peer may send.
    var receiveMTU: Int { get }
}

/// The operations of a channel during a turn on the port's executor. The results come on that
/// executor, possibly before the call returns.
package protocol ChannelTurn {
    /// Requests the next SDU. The result is `nil` or an error after the last one.
    func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void)
    /// Sends an SDU. The result comes when it was sent.
    func send(_ sdu: [UInt8], then: @escaping @Sendable (Result<Void, ChannelEnd>) -> Void)
    /// Closes the channel.
    func close()
    /// Requests a report of the channel's end, which comes once.
    func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void)
}

/// The reason for a channel's end, with which later sends fail.
package enum ChannelEnd: Error, Equatable {
    /// The peer closed the channel.
    case closedByPeer
    /// This device closed the channel: the application closed the streams, released the channel, or
    /// unpublished its PSM.
    case closedHere
    /// The link ended, or the peer violated the protocol of the channel.
    case failed(PortError)
}

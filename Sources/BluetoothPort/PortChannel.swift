// SPDX-License-Identifier: Apache-2.0

/// A counter of outside work: work on other threads that a port's executor has caused, for example
/// in an application's delegate. `HostExecutor.beginOutsideWork()` describes it.
package protocol OutsideWork: Sendable {
    func beginOutsideWork()
    func endOutsideWork()
}

/// The port's side of a channel.
///
/// When a run loop calls the delegate of the channel's stream, that call is outside work. An
/// executor with virtual time stops its clock until the call has ended.
package protocol ChannelEngine: OutsideWork {
    /// Runs `body` on the port's executor, where it can use the channel. The closures run later, in
    /// the order of the calls. May be called on any thread.
    func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void)
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

/// The operations of a channel, which only a closure of `ChannelEngine.execute(_:)` can use. An
/// operation calls its closure `then` on the port's executor, possibly before it returns.
package protocol ChannelOperations {
    /// Requests the next SDU. If no further SDU can arrive, the result is `nil` or an error.
    func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void)
    /// Sends an SDU, and calls `then` when the SDU was sent.
    func send(_ sdu: [UInt8], then: @escaping @Sendable (Result<Void, ChannelEnd>) -> Void)
    /// Closes the channel.
    func close()
    /// Calls `then` once, when the channel has ended.
    func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void)
}

/// The reason for a channel's end. Later sends fail with it.
package enum ChannelEnd: Error, Equatable {
    /// The peer closed the channel.
    case closedByPeer
    /// This device closed the channel: the application closed the streams, released the channel, or
    /// unpublished its PSM.
    case closedHere
    /// The link ended, or the peer violated the protocol of the channel.
    case failed(PortError)
}

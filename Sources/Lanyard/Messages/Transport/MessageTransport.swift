// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A carrier for the bytes of messages: a pair of characteristics, an L2CAP channel, or anything
/// else that delivers bytes in order while there is a link.
///
/// A transport has one serial queue. The channel calls all members on it, and the transport calls
/// the receiver on it, so the transport needs no locks.
public protocol MessageTransport: AnyObject, Sendable {
    /// The serial queue of all calls.
    var queue: DispatchQueue { get }

    /// The maximum number of bytes in one call of `send`. It is valid only during a link, and may
    /// differ from link to link. While it is 0 the channel sends nothing;
    /// ``MessageTransportEvent/hasRoom`` or ``MessageTransportEvent/linked`` follows when it grows.
    var maximumChunk: Int { get }

    /// Starts the transport. From now on the transport reports its events. If there is a link, it
    /// reports ``MessageTransportEvent/linked`` at once. The channel calls this method once.
    ///
    /// - Parameter receiver: A closure that receives the events. The transport calls the closure on
    ///   ``queue``.
    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void)

    /// Sends a chunk, after earlier chunks.
    ///
    /// - Parameter chunk: The bytes, at most ``maximumChunk``.
    /// - Returns: `false` if there is no room or no link. The chunk was then not accepted;
    ///   ``MessageTransportEvent/hasRoom`` follows when there is room, or
    ///   ``MessageTransportEvent/linked`` when there is a link.
    func send(_ chunk: Data) -> Bool

    /// Stops the transport: it releases the receiver and reports no further event.
    func stop()
}

/// An event of a transport.
public enum MessageTransportEvent: Sendable {
    /// There is a link, and the other side receives: chunks can be sent in both directions. Data of
    /// earlier links is lost.
    case linked
    /// The other side has sent bytes: a part of a message, several messages, or both.
    case received(Data)
    /// There is room again, after `send` returned `false` or ``MessageTransport/maximumChunk`` was
    /// 0.
    case hasRoom
    /// A chunk that `send` accepted, or is accepting, did not arrive. The channel gives up the
    /// message of the chunk; the link still exists.
    case refused(any Error)
    /// The link was lost, for this reason if it is known. `linked` may follow.
    case unlinked((any Error)?)
    /// There will be no further link. This is the last event.
    case ended((any Error)?)
}

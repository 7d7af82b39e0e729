// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A carrier for the bytes of messages: a pair of characteristics, an L2CAP channel, or anything
/// else that delivers bytes in order while there is a link.
///
/// A transport has one serial queue and belongs to one ``MessageChannel``. The message channel
/// calls all methods and reads ``maximumChunk`` on this queue, and the transport calls the receiver
/// on it, so the transport needs no locks.
public protocol MessageTransport: AnyObject, Sendable {
    /// The serial queue of all calls. It is always the same, because any thread reads it.
    var queue: DispatchQueue { get }

    /// The maximum number of bytes in one call of `send`. It is valid only during a link, and may
    /// differ from link to link. While it is 0, the message channel sends nothing;
    /// ``MessageTransportEvent/hasRoom`` or ``MessageTransportEvent/linked`` follows when it grows.
    var maximumChunk: Int { get }

    /// Starts the transport, which reports its events until ``stop()``. If there is a link, it
    /// reports ``MessageTransportEvent/linked`` at once. The message channel calls this method only
    /// once.
    ///
    /// - Parameter receiver: A closure that receives the events. The transport calls the closure on
    ///   ``queue``.
    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void)

    /// Sends a chunk, after earlier chunks.
    ///
    /// - Parameter chunk: The bytes, at most ``maximumChunk``.
    /// - Returns: Whether the transport accepted the chunk: `false` if there is no room or no link.
    ///   After `false`, ``MessageTransportEvent/hasRoom`` follows when there is room, or
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
    /// The other side has sent bytes. They may begin or end in the middle of a message, and contain
    /// several messages.
    case received(Data)
    /// There is room again, after `send` returned `false` or ``MessageTransport/maximumChunk`` was
    /// 0.
    case hasRoom
    /// A chunk that `send` accepted did not arrive. The event may occur before `send` returns
    /// `true` for the chunk. The message channel gives up the message of the chunk. The link still
    /// exists.
    case refused(any Error)
    /// The link was lost, for this reason if it is known. `linked` may follow.
    case unlinked((any Error)?)
    /// There will be no further link. This is the last event.
    case ended((any Error)?)
}

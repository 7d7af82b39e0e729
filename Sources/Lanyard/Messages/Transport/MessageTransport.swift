// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// What carries the octets of messages: a pair of characteristics, an L2CAP channel, or anything else
/// that delivers them in order while there is a link.
///
/// A transport lives on one serial queue. Everything here is called on it, and `start` is told
/// everything on it; so nothing of it needs a lock.
public protocol MessageTransport: AnyObject, Sendable {
    /// The serial queue on which everything happens.
    var queue: DispatchQueue { get }

    /// The most octets that `send` takes at once now. Meaningful while there is a link only: it may be
    /// another one with every link.
    var maximumChunk: Int { get }

    /// Begins: `receiver` is told from now on what happens, on the queue, and at once `linked` if there
    /// is a link already. Called once.
    func start(_ receiver: @escaping @Sendable (MessageTransportEvent) -> Void)

    /// Takes a chunk of at most `maximumChunk` octets and sends it behind those before it. False if
    /// there is no room, or no link: nothing was taken then, and `hasRoom` follows when there is room,
    /// or `linked` when there is a link.
    func send(_ chunk: Data) -> Bool

    /// Ends it: the receiver is let go of, and told nothing more.
    func stop()
}

/// What happens to a transport.
public enum MessageTransportEvent: Sendable {
    /// There is a link, and the other side listens: chunks can go both ways. All that was under way
    /// before is lost.
    case linked
    /// The other side has sent this: a part of a message, several, or both.
    case received(Data)
    /// There is room, after `send` has returned false.
    case hasRoom
    /// A chunk that `send` had taken, or is taking, did not arrive. What it was a part of is given up; the
    /// link is there still.
    case refused(any Error)
    /// The link is gone, for this reason if one is known. `linked` may follow.
    case unlinked((any Error)?)
    /// There will be no other link. The last event.
    case ended((any Error)?)
}

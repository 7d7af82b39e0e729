// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How a message channel speaks, and how much it holds.
public struct MessageChannelOptions: Sendable {
    /// What a message looks like.
    public enum Form: Hashable, Sendable {
        /// In an envelope of Lanyard's, by which requests and answers find each other:
        /// `{"tell":…}`, `{"ask":…,"id":7}`, `{"answer":…,"id":7}` or `{"refuse":"why","id":7}`.
        case enveloped
        /// As it is: for accessories that know no envelope. A request is answered by the next message
        /// that can be decoded as what is expected.
        case plain
    }

    /// What becomes of messages and requests while there is no link.
    public enum WhenUnlinked: Hashable, Sendable {
        /// They fail with `disconnected`, at once.
        case fail
        /// They wait in line for the next link: a request for as long as its answer may take, a message
        /// until its task is cancelled or the channel closed. What is on its way already when a link is
        /// lost fails nevertheless: the other side may have it, and should not get it twice.
        case wait
    }

    /// How messages are told apart.
    public var framing: any MessageFraming
    /// What makes them unreadable for others; nil for nothing.
    public var sealing: (any MessageSealing)?
    /// What they look like.
    public var form = Form.enveloped
    /// What becomes of them while there is no link.
    public var whenUnlinked = WhenUnlinked.fail
    /// Makes JSON of values.
    public var encoder = JSONEncoder()
    /// Makes values of JSON.
    public var decoder = JSONDecoder()
    /// How much the channel holds.
    public var limits = MessageLimits()
    /// The number of the first request; nil for any.
    package var firstID: Int?

    /// The framing, and else the usual.
    public init(framing: any MessageFraming = .startEnd(), sealing: (any MessageSealing)? = nil) {
        self.framing = framing
        self.sealing = sealing
    }
}

/// How much a message channel holds. What is beyond fails, or is reported as lost; nothing grows.
public struct MessageLimits: Hashable, Sendable {
    /// Requests that the other side has to answer at once. Others wait in line.
    public var requestsAtOnce = 16
    /// Messages and requests that wait in line to be sent; one more fails with `queueFull`.
    public var waiting = 1_024
    /// Requests of the other side that are worked on at once; one more is refused.
    public var answersAtOnce = 16
    /// Messages that wait for one reader; the oldest go first.
    public var unread = 256
    /// Octets of a text that an error or an event quotes.
    public var quotation = 256

    /// The usual ones.
    public init() {}
}

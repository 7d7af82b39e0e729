// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The options of a message channel.
public struct MessageChannelOptions: Sendable {
    /// The format of a message: with or without an envelope.
    public enum Form: Hashable, Sendable {
        /// In an envelope of the library, which assigns answers to requests: `{"tell":…}`,
        /// `{"ask":…,"id":7}`, `{"answer":…,"id":7}` or `{"refuse":"why","id":7}`.
        case enveloped
        /// Without an envelope, for accessories that do not support it. The next message that can
        /// be decoded as the expected type answers a request.
        case plain
    }

    /// The rule for messages and requests while there is no link.
    public enum WhenUnlinked: Hashable, Sendable {
        /// Messages and requests fail at once with `disconnected`.
        case fail
        /// Messages and requests wait for the next link: a request until its timeout, a message
        /// until its task is canceled or the channel is closed. A message or request that was being
        /// sent when a link was lost fails nevertheless: the other side may already have it, and
        /// must not receive it twice.
        case wait
    }

    /// The framing, which separates the messages in the byte stream.
    public var framing: any MessageFraming
    /// The encryption of messages; `nil` for none.
    public var sealing: (any MessageSealing)?
    /// The format of messages: with or without an envelope.
    public var form = Form.enveloped
    /// The rule for messages and requests while there is no link.
    public var whenUnlinked = WhenUnlinked.fail
    /// The encoder from values to JSON.
    public var encoder = JSONEncoder()
    /// The decoder from JSON to values.
    public var decoder = JSONDecoder()
    /// The limits of the channel's queues.
    public var limits = MessageLimits()
    /// The number of the first request; `nil` for a random one.
    package var firstID: Int?

    /// Creates options with a framing and a sealing; all other options have defaults.
    ///
    /// - Parameters:
    ///   - framing: The framing, which separates the messages in the byte stream.
    ///   - sealing: The encryption of messages; `nil` for none.
    public init(framing: any MessageFraming = .startEnd(), sealing: (any MessageSealing)? = nil) {
        self.framing = framing
        self.sealing = sealing
    }
}

/// The limits of a message channel.
public struct MessageLimits: Hashable, Sendable {
    /// The maximum number of sent requests that await their answers at a time. Further requests
    /// wait in a queue.
    public var requestsAtOnce = 16
    /// The maximum number of messages and requests that wait to be sent; a further one fails with
    /// `queueFull`.
    public var waiting = 1_024
    /// The maximum number of the other side's requests that are processed at a time; a further one
    /// is refused.
    public var answersAtOnce = 16
    /// The maximum number of messages that wait for one sequence; beyond it, the oldest are
    /// dropped.
    public var unread = 256
    /// The maximum number of bytes that an error or event quotes from a message.
    public var quotation = 256

    /// Creates the default limits.
    public init() {}
}

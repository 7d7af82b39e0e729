// SPDX-License-Identifier: Apache-2.0

/// An event of a channel other than a message, for logs and for diagnosis.
public enum MessageChannelEvent: Hashable, Sendable {
    /// There is a link, so messages can be sent.
    case linked
    /// The link was lost, for this reason if it is known. The channel continues on the next link.
    case unlinked(reason: String?)
    /// Bytes arrived that belong to no message.
    case stray(count: Int)
    /// A message arrived that was incomplete or malformed; the value is the number of lost bytes.
    case broken(count: Int)
    /// A message arrived that is longer than the limit in bytes, and was skipped.
    case oversize(limit: Int)
    /// A sealed message arrived that could not be opened, and was dropped.
    case unopened(SealingError)
    /// A message arrived that no sequence or service can decode; the text is its beginning.
    case undecodable(text: String)
    /// An answer arrived that no request waits for: it is late, or was never requested.
    case unexpectedAnswer(id: Int)
    /// A message was dropped because too many messages wait to be read.
    case unread
    /// Both sides of a sealed channel use new session keys from now on; see
    /// ``MessageChannel/rotateKeys(to:)``.
    case keysRotated
    /// The channel is closed. This is the last event.
    case ended(reason: String?)
}

/// The counters of a channel since its creation.
public struct MessageStatistics: Hashable, Sendable {
    /// The messages that were passed to the link.
    public var sent = 0
    /// The messages that arrived.
    public var received = 0
    /// The bytes that belong to no message.
    public var strayBytes = 0
    /// The messages that arrived incomplete or malformed.
    public var broken = 0
    /// The messages that were too long.
    public var oversize = 0
    /// The messages that could not be opened.
    public var unopened = 0
    /// The messages that no sequence or service could decode, and unexpected answers.
    public var undecodable = 0
    /// The messages that were dropped because too many waited to be read.
    public var unread = 0
    /// The links so far.
    public var links = 0

    mutating func count(_ event: MessageChannelEvent) {
        switch event {
        case .linked: links += 1
        case .stray(let count): strayBytes += count
        case .broken: broken += 1
        case .oversize: oversize += 1
        case .unopened: unopened += 1
        case .undecodable, .unexpectedAnswer: undecodable += 1
        case .unread: unread += 1
        case .unlinked, .keysRotated, .ended: break
        }
    }
}

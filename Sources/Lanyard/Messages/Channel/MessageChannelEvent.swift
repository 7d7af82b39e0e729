// SPDX-License-Identifier: Apache-2.0

/// What happens to a channel beside messages: for logs, and for those who look for a fault.
public enum MessageChannelEvent: Hashable, Sendable {
    /// There is a link: messages go.
    case linked
    /// The link is gone, for this reason if one is known. The channel goes on with the next.
    case unlinked(reason: String?)
    /// Octets came that belong to no message.
    case stray(count: Int)
    /// A message came that was none, or not all of it: so many octets are lost.
    case broken(count: Int)
    /// A message came that is longer than allowed, and was passed over.
    case oversize(limit: Int)
    /// A message came that could not be opened, and was dropped.
    case unopened(SealingError)
    /// A message came that is nothing that anybody here expects; the text is its beginning.
    case undecodable(text: String)
    /// An answer came that nobody waits for: it is late, or was never asked for.
    case unexpectedAnswer(id: Int)
    /// A message was dropped because nobody took it in time.
    case unread
    /// The channel is closed. The last event.
    case ended(reason: String?)
}

/// What a channel has counted since it was made.
public struct MessageStatistics: Hashable, Sendable {
    /// Messages that were handed to the link.
    public var sent = 0
    /// Messages that came.
    public var received = 0
    /// Octets that belong to no message.
    public var strayOctets = 0
    /// Messages that did not come whole.
    public var broken = 0
    /// Messages that were too long.
    public var oversize = 0
    /// Messages that could not be opened.
    public var unopened = 0
    /// Messages that nobody expected, or could make sense of.
    public var undecodable = 0
    /// Messages that nobody took in time.
    public var unread = 0
    /// Links that there were.
    public var links = 0

    mutating func count(_ event: MessageChannelEvent) {
        switch event {
        case .linked: links += 1
        case .stray(let count): strayOctets += count
        case .broken: broken += 1
        case .oversize: oversize += 1
        case .unopened: unopened += 1
        case .undecodable, .unexpectedAnswer: undecodable += 1
        case .unread: unread += 1
        case .unlinked, .ended: break
        }
    }
}

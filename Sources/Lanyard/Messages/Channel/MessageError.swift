// SPDX-License-Identifier: Apache-2.0

/// Why a message could not be sent, or a request was not answered.
public enum MessageError: Error, Hashable, Sendable {
    /// No answer came in time. The other side may have done what was asked, nevertheless.
    case timeout
    /// The task that waited was cancelled.
    case cancelled
    /// There is no link, or it was lost before this was done. The channel goes on with the next link.
    case disconnected
    /// The channel is closed for good.
    case closed
    /// The message has more octets than are allowed.
    case tooLarge(count: Int, limit: Int)
    /// The message holds an octet that the framing has another use for.
    case unframeable
    /// The value could not be encoded, for this reason.
    case unencodable(String)
    /// What came is not what was expected; the text is its beginning.
    case undecodable(text: String)
    /// The other side refuses the request, for this reason.
    case remoteError(String)
    /// Too many messages or requests wait already.
    case queueFull
    /// The other side did not take the message, for this reason.
    case notSent(String)
    /// The message could not be sealed, or not be opened, for this reason.
    case sealing(String)
}

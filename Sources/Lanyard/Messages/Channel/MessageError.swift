// SPDX-License-Identifier: Apache-2.0

/// The reason why a message was not sent or a request was not answered.
public enum MessageError: Error, Hashable, Sendable {
    /// The answer did not arrive in time. The other side may have performed the request
    /// nevertheless.
    case timeout
    /// The waiting task was canceled.
    case cancelled
    /// There is no link, or it was lost meanwhile. The channel continues on the next link.
    case disconnected
    /// The channel is closed permanently.
    case closed
    /// The message is longer than the limit; both numbers are in bytes.
    case tooLarge(count: Int, limit: Int)
    /// The message contains a byte that the framing reserves.
    case unframeable
    /// The value could not be encoded, for this reason.
    case unencodable(String)
    /// A message of another type arrived; the text is its beginning.
    case undecodable(text: String)
    /// The other side refused the request, for this reason.
    case remoteError(String)
    /// Too many messages or requests already wait.
    case queueFull
    /// The transport or the other side did not accept the message, for this reason.
    case notSent(String)
    /// The message could not be sealed, the session did not begin, or its keys could not be
    /// replaced, for this reason. A received message that cannot be opened causes
    /// ``MessageChannelEvent/unopened(_:)`` instead.
    case sealing(String)
}

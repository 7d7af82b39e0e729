// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How messages are told apart in a stream of octets that comes in pieces of any length.
///
/// A framing is a value: it knows no link and no clock. It is given chunks as they come and says what
/// was in them; whatever these are, it never fails, and holds no more than the limit that it was made
/// with.
public protocol MessageFraming: Sendable {
    /// Whether a frame can hold any octets. Where it cannot, a message that is not text (a sealed one)
    /// goes as Base64.
    var carriesAnyOctet: Bool { get }

    /// Takes a chunk of any length, and says what is complete with it.
    mutating func receive(_ chunk: Data) -> [FramingEvent]

    /// Forgets what is incomplete: the link it came over is gone.
    mutating func reset()

    /// The message as it goes over the link.
    ///
    /// - Throws: `MessageError.tooLarge` beyond the limit, `MessageError.unframeable` if it holds an
    ///   octet that this framing has another use for.
    func frame(_ message: Data) throws(MessageError) -> Data
}

/// What a framing has found.
public enum FramingEvent: Hashable, Sendable {
    /// A whole message.
    case message(Data)
    /// So many octets in a row, within one chunk, that belong to no message.
    case stray(count: Int)
    /// What began as a message and was none: another one began in it, or it makes no sense. The
    /// `count` octets that had come of it are gone.
    case broken(count: Int)
    /// A message with more octets than the limit. It is passed over; one report for each.
    case oversize(limit: Int)
}

/// What framings share.
public enum MessageFramingLimits {
    /// The longest message, if nothing else is said: 64 KiB.
    public static let standard = 65_536
}

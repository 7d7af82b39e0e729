// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How messages are told apart in a stream of octets that comes in pieces of any length.
///
/// A framing is a value: it knows no link and no clock. It is given chunks as they come and says what
/// was in them; whatever these are, it never fails, holds no more than the limit that it was made with,
/// and finds the next good message after anything that was none.
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
    /// So many octets that belong to no message. Those that come one after the other are one report.
    case stray(count: Int)
    /// A message that never ended: another one began in it, or the stream makes no sense here. What had
    /// come of it, `count` octets, is gone.
    case interrupted(count: Int)
    /// A message with more octets than the limit. It is passed over; one report for each.
    case oversize(limit: Int)
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A way to separate messages in a stream of bytes that arrives in chunks of any length.
///
/// A framing receives chunks and returns their contents. It accepts any bytes without failing, and
/// stores no more than one message.
public protocol MessageFraming: Sendable {
    /// Whether a frame can contain any byte. If not, a message that is not text (a sealed one) is
    /// sent as Base64.
    var carriesAnyByte: Bool { get }

    /// Takes a chunk of any length.
    ///
    /// - Parameter chunk: The received bytes.
    /// - Returns: The events that the chunk completes, in the order of the stream.
    mutating func receive(_ chunk: Data) -> [FramingEvent]

    /// Discards an incomplete message, because its link has ended.
    mutating func reset()

    /// Returns the framed message.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``MessageError/tooLarge(count:limit:)`` beyond the limit;
    ///   ``MessageError/unframeable`` if the message contains a byte that this framing reserves.
    func frame(_ message: Data) throws(MessageError) -> Data
}

/// An event in the received stream.
public enum FramingEvent: Hashable, Sendable {
    /// A whole message.
    case message(Data)
    /// Consecutive bytes within one chunk that belong to no message.
    case stray(count: Int)
    /// An incomplete or malformed message: another one began within it, or its contents are
    /// invalid. The value is the number of its bytes, which are lost.
    case broken(count: Int)
    /// A message longer than the limit. It is skipped, with one event for each such message.
    case oversize(limit: Int)
}

/// The common default of framings.
public enum MessageFramingLimits {
    /// The default limit: 64 KiB.
    public static let standard = 65_536
}

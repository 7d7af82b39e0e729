// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A framing with STX (0x02) before each message and ETX (0x03) after it. It suits text, above all
/// JSON, which writes control characters as `\u0002` and therefore contains neither byte.
///
/// The framing recovers after any garbage: it skips bytes between messages, and an STX always
/// begins a message, even within another one.
public struct StartEndFraming: MessageFraming {
    /// The byte before a message.
    public static let start: UInt8 = 0x02
    /// The byte after a message.
    public static let end: UInt8 = 0x03

    private enum State {
        case outside
        case inside
        /// Inside a message that is too long.
        case skipping
    }

    /// The length of the longest message, in bytes.
    public let limit: Int
    private var state = State.outside
    private var partial = Data()

    /// Creates a framing for messages of up to `limit` bytes.
    ///
    /// - Parameter limit: The length of the longest message, in bytes. A negative number counts as
    ///   0.
    public init(limit: Int = MessageFramingLimits.standard) {
        self.limit = max(limit, 0)
    }

    /// Always `false`: the framing reserves two byte values.
    public var carriesAnyByte: Bool { false }

    /// Receives a chunk. Searches it once for STX and once for ETX, regardless of the number of
    /// messages.
    ///
    /// - Parameter chunk: The received bytes, of any number.
    /// - Returns: The events that the chunk completes, in the order of the stream.
    public mutating func receive(_ chunk: Data) -> [FramingEvent] {
        chunk.withUnsafeBytes { bytes in
            var events: [FramingEvent] = []
            var starts = ByteScan(for: Self.start, in: bytes)
            var ends = ByteScan(for: Self.end, in: bytes)
            var position = 0
            while position < bytes.count {
                let start = starts.next(from: position)
                if state == .outside {
                    let count = start - position
                    if count > 0 { events.append(.stray(count: count)) }
                    if start < bytes.count { begin() }
                    position = start + 1
                } else {
                    let stop = min(start, ends.next(from: position))
                    take(bytes[position..<stop], &events)
                    if stop < bytes.count { meet(bytes[stop], &events) }
                    position = stop + 1
                }
            }
            return events
        }
    }

    /// Discards an incomplete message.
    public mutating func reset() {
        state = .outside
        partial = Data()
    }

    /// Returns the message between STX and ETX.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``MessageError/tooLarge(count:limit:)`` if the message is longer than ``limit``;
    ///   ``MessageError/unframeable`` if the message contains STX or ETX.
    public func frame(_ message: Data) throws(MessageError) -> Data {
        guard message.count <= limit else {
            throw .tooLarge(count: message.count, limit: limit)
        }
        guard !message.contains(Self.start), !message.contains(Self.end) else {
            throw .unframeable
        }
        var frame = Data(capacity: message.count + 2)
        frame.append(Self.start)
        frame.append(message)
        frame.append(Self.end)
        return frame
    }

    private mutating func begin() {
        state = .inside
        partial = Data()
    }

    private mutating func take(
        _ bytes: Slice<UnsafeRawBufferPointer>,
        _ events: inout [FramingEvent]
    ) {
        guard state == .inside else { return }
        guard bytes.count <= limit - partial.count else {
            events.append(.oversize(limit: limit))
            reset()
            state = .skipping
            return
        }
        partial.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes))
    }

    /// Handles an STX or ETX inside a message.
    private mutating func meet(_ control: UInt8, _ events: inout [FramingEvent]) {
        let wasWhole = state == .inside
        if control == Self.start {
            if wasWhole { events.append(.broken(count: partial.count)) }
            begin()
        } else {
            if wasWhole { events.append(.message(partial)) }
            reset()
        }
    }
}

extension MessageFraming where Self == StartEndFraming {
    /// Returns a framing with STX (0x02) before each message and ETX (0x03) after it, for messages
    /// of up to `limit` bytes.
    ///
    /// - Parameter limit: The length of the longest message, in bytes. A negative number counts as
    ///   0.
    public static func startEnd(limit: Int = MessageFramingLimits.standard) -> StartEndFraming {
        StartEndFraming(limit: limit)
    }
}

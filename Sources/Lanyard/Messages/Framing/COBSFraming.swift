// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): the framing removes the zeros of
/// each message, and sends a zero after it. It suits messages of any bytes. It adds two bytes to
/// each message, and one more for each 254 bytes at most.
///
/// After any garbage, the framing finds the next message after the next zero.
public struct COBSFraming: MessageFraming {
    /// The byte that follows each message.
    public static let delimiter: UInt8 = 0x00

    /// The length of the longest message, in bytes.
    public let limit: Int
    private var partial = Data()
    /// Whether the current message is too long and is being skipped.
    private var isSkipping = false

    /// Creates a framing for messages of up to `limit` bytes.
    ///
    /// - Parameter limit: The length of the longest message, in bytes. A negative number counts as
    ///   0.
    public init(limit: Int = MessageFramingLimits.standard) {
        self.limit = max(limit, 0)
    }

    /// Always `true`.
    public var carriesAnyByte: Bool { true }

    /// Takes a chunk, scans each byte once for delimiters, and decodes complete messages.
    ///
    /// - Parameter chunk: The received bytes, of any number.
    /// - Returns: The events that the chunk completes, in the order of the stream.
    public mutating func receive(_ chunk: Data) -> [FramingEvent] {
        chunk.withUnsafeBytes { bytes in
            var events: [FramingEvent] = []
            var delimiters = ByteScan(for: Self.delimiter, in: bytes)
            var position = 0
            while position < bytes.count {
                let stop = delimiters.next(from: position)
                take(bytes[position..<stop], &events)
                if stop < bytes.count { finish(&events) }
                position = stop + 1
            }
            return events
        }
    }

    /// Discards an incomplete message; the next byte is the first of a message.
    public mutating func reset() {
        partial = Data()
        isSkipping = false
    }

    /// Returns the stuffed message with its delimiter.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``MessageError/tooLarge(count:limit:)`` if the message is longer than ``limit``.
    public func frame(_ message: Data) throws(MessageError) -> Data {
        guard message.count <= limit else {
            throw .tooLarge(count: message.count, limit: limit)
        }
        var frame = ByteStuffing.stuff(message)
        frame.append(Self.delimiter)
        return frame
    }

    private mutating func take(
        _ bytes: Slice<UnsafeRawBufferPointer>,
        _ events: inout [FramingEvent]
    ) {
        guard !isSkipping else { return }
        guard bytes.count <= ByteStuffing.stuffedLength(limit) - partial.count else {
            skip(&events)
            return
        }
        partial.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes))
    }

    private mutating func skip(_ events: inout [FramingEvent]) {
        events.append(.oversize(limit: limit))
        reset()
        isSkipping = true
    }

    private mutating func finish(_ events: inout [FramingEvent]) {
        // Two delimiters in a row enclose no message: some senders flush with a leading delimiter.
        if !isSkipping, !partial.isEmpty { events.append(unstuffed()) }
        reset()
    }

    private func unstuffed() -> FramingEvent {
        guard let message = ByteStuffing.unstuff(partial) else {
            return .broken(count: partial.count)
        }
        // The stuffed form of a longer message can have the permitted length.
        return message.count <= limit ? .message(message) : .oversize(limit: limit)
    }
}

extension MessageFraming where Self == COBSFraming {
    /// Returns a framing with byte stuffing, for messages of up to `limit` bytes.
    ///
    /// - Parameter limit: The length of the longest message, in bytes. A negative number counts as
    ///   0.
    public static func cobs(limit: Int = MessageFramingLimits.standard) -> COBSFraming {
        COBSFraming(limit: limit)
    }
}

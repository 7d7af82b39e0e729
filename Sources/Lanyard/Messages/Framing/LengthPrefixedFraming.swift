// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A framing that sends the length of each message, in two or four bytes, before the message. It
/// suits messages of any bytes over a link that loses no bytes.
///
/// Nothing marks the beginning of a message, so this framing does not recover from garbage: it
/// skips as many bytes as an invalid length announces. The next link starts with an empty buffer.
public struct LengthPrefixedFraming: MessageFraming {
    /// The number of bytes in a length.
    public enum Width: Int, CaseIterable, Sendable {
        /// Messages of up to 65,535 bytes.
        case twoBytes = 2
        /// Messages of up to 4 GiB, or up to the limit.
        case fourBytes = 4
    }

    /// The order of the bytes in a length.
    public enum ByteOrder: CaseIterable, Sendable {
        /// The most significant byte comes first.
        case bigEndian
        /// The least significant byte comes first.
        case littleEndian
    }

    private enum State {
        /// Inside a length. Its first `count` bytes have arrived, and have this value.
        case length(count: Int, value: Int)
        case inside(missing: Int)
        case skipping(missing: Int)
    }

    /// The length of the longest message, in bytes.
    public let limit: Int
    private let width: Width
    private let order: ByteOrder
    private var state = State.length(count: 0, value: 0)
    private var partial = Data()

    /// Creates a framing for messages of up to `limit` bytes.
    ///
    /// - Parameters:
    ///   - width: The number of bytes in a length.
    ///   - order: The order of the bytes in a length.
    ///   - limit: The length of the longest message, in bytes. A negative number counts as 0. The
    ///     limit is at most 65,535 with two bytes, and 4,294,967,295 with four.
    public init(
        _ width: Width = .fourBytes,
        _ order: ByteOrder = .bigEndian,
        limit: Int = MessageFramingLimits.standard
    ) {
        let maximum = width == .twoBytes ? Int(UInt16.max) : Int(UInt32.max)
        self.limit = min(max(limit, 0), maximum)
        self.width = width
        self.order = order
    }

    /// Always `true`.
    public var carriesAnyByte: Bool { true }

    /// Takes a chunk, and checks each length before any byte of the message is stored.
    ///
    /// - Parameter chunk: The received bytes, of any number.
    /// - Returns: The events that the chunk completes, in the order of the stream.
    public mutating func receive(_ chunk: Data) -> [FramingEvent] {
        var events: [FramingEvent] = []
        var rest = chunk
        while !rest.isEmpty {
            switch state {
            case .length(let count, let value):
                readLength(rest.removeFirst(), count, value, &events)
            case .inside(let missing):
                let part = rest.prefix(missing)
                rest = rest.dropFirst(missing)
                partial.append(part)
                state = .inside(missing: missing - part.count)
                if part.count == missing { finish(&events) }
            case .skipping(let missing):
                let count = min(missing, rest.count)
                rest = rest.dropFirst(count)
                state = .skipping(missing: missing - count)
                if count == missing { reset() }
            }
        }
        return events
    }

    /// Discards an incomplete message; the next byte is the first of a length.
    public mutating func reset() {
        state = .length(count: 0, value: 0)
        partial = Data()
    }

    /// Returns the message, preceded by its length.
    ///
    /// - Parameter message: The message.
    /// - Throws: ``MessageError/tooLarge(count:limit:)`` if the message is longer than ``limit``.
    public func frame(_ message: Data) throws(MessageError) -> Data {
        guard message.count <= limit else {
            throw .tooLarge(count: message.count, limit: limit)
        }
        let shifts = (0..<width.rawValue).map { $0 * 8 }
        let length = (order == .bigEndian ? shifts.reversed() : shifts).map {
            UInt8(truncatingIfNeeded: message.count >> $0)
        }
        return Data(length) + message
    }

    private mutating func readLength(
        _ byte: UInt8,
        _ count: Int,
        _ value: Int,
        _ events: inout [FramingEvent]
    ) {
        let length =
            order == .bigEndian ? value << 8 | Int(byte) : value | Int(byte) << (8 * count)
        guard count + 1 == width.rawValue else {
            state = .length(count: count + 1, value: length)
            return
        }
        if length > limit {
            events.append(.oversize(limit: limit))
            state = .skipping(missing: length)
        } else {
            state = .inside(missing: length)
            if length == 0 { finish(&events) }
        }
    }

    private mutating func finish(_ events: inout [FramingEvent]) {
        events.append(.message(partial))
        reset()
    }
}

extension MessageFraming where Self == LengthPrefixedFraming {
    /// Returns a framing with the length before each message, for messages of up to `limit` bytes.
    ///
    /// - Parameters:
    ///   - width: The number of bytes in a length.
    ///   - order: The order of the bytes in a length.
    ///   - limit: The length of the longest message, in bytes. A negative number counts as 0. The
    ///     limit is at most 65,535 with two bytes, and 4,294,967,295 with four.
    public static func lengthPrefixed(
        _ width: LengthPrefixedFraming.Width = .fourBytes,
        _ order: LengthPrefixedFraming.ByteOrder = .bigEndian,
        limit: Int = MessageFramingLimits.standard
    ) -> LengthPrefixedFraming {
        LengthPrefixedFraming(width, order, limit: limit)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): zeros are taken out of each message,
/// and one stands behind it. For messages of any octets; one octet in 254 is added.
///
/// It finds the next message after anything that has a zero in it.
public struct COBSFraming: MessageFraming {
    /// What stands behind each message.
    public static let delimiter: UInt8 = 0x00

    /// The longest message, in octets.
    public let limit: Int
    private var partial = Data()
    /// Whether the message is too long, and passed over.
    private var isPassingOver = false

    /// A framing for messages of up to `limit` octets.
    public init(limit: Int = MessageFramingLimits.standard) {
        self.limit = max(limit, 0)
    }

    /// True.
    public var carriesAnyOctet: Bool { true }

    /// Looks for delimiters once, and unstuffs what is complete.
    public mutating func receive(_ chunk: Data) -> [FramingEvent] {
        chunk.withUnsafeBytes { octets in
            var events: [FramingEvent] = []
            var delimiters = OctetScan(for: Self.delimiter, in: octets)
            var position = 0
            while position < octets.count {
                let stop = delimiters.next(from: position)
                take(octets[position..<stop], &events)
                if stop < octets.count { finish(&events) }
                position = stop + 1
            }
            return events
        }
    }

    /// The next octet is the first of a message.
    public mutating func reset() {
        partial = Data()
        isPassingOver = false
    }

    /// The message without zeros, and a zero.
    public func frame(_ message: Data) throws(MessageError) -> Data {
        guard message.count <= limit else {
            throw .tooLarge(count: message.count, limit: limit)
        }
        var frame = ByteStuffing.stuff(message)
        frame.append(Self.delimiter)
        return frame
    }

    private mutating func take(
        _ octets: Slice<UnsafeRawBufferPointer>,
        _ events: inout [FramingEvent]
    ) {
        guard !isPassingOver else { return }
        guard octets.count <= ByteStuffing.stuffedLength(limit) - partial.count else {
            passOver(&events)
            return
        }
        partial.append(contentsOf: UnsafeRawBufferPointer(rebasing: octets))
    }

    private mutating func passOver(_ events: inout [FramingEvent]) {
        events.append(.oversize(limit: limit))
        reset()
        isPassingOver = true
    }

    private mutating func finish(_ events: inout [FramingEvent]) {
        // Two delimiters in a row are no message: some send one in front, to flush.
        if !isPassingOver, !partial.isEmpty { events.append(unstuffed()) }
        reset()
    }

    private func unstuffed() -> FramingEvent {
        guard let message = ByteStuffing.unstuff(partial) else {
            return .broken(count: partial.count)
        }
        // The stuffing of a shorter message can be as long.
        return message.count <= limit ? .message(message) : .oversize(limit: limit)
    }
}

extension MessageFraming where Self == COBSFraming {
    /// Byte stuffing, for messages of up to `limit` octets.
    public static func cobs(limit: Int = MessageFramingLimits.standard) -> COBSFraming {
        COBSFraming(limit: limit)
    }
}

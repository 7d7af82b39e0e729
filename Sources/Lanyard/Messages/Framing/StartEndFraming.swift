// SPDX-License-Identifier: Apache-2.0

import Foundation

/// STX (0x02) before each message, ETX (0x03) after it: for text, above all for JSON, in which neither
/// occurs, since it writes control characters as `\u0002`.
///
/// It finds the next message after anything: what stands between messages is passed over, and an STX
/// always begins a message, also in the middle of another.
public struct StartEndFraming: MessageFraming {
    /// What stands before a message.
    public static let start: UInt8 = 0x02
    /// What stands behind it.
    public static let end: UInt8 = 0x03

    private enum Place {
        case outside
        case inside
        /// Inside of a message that is too long.
        case passingOver
    }

    /// The longest message, in octets.
    public let limit: Int
    private var place = Place.outside
    private var partial = Data()

    /// A framing for messages of up to `limit` octets.
    public init(limit: Int = MessageFramingLimits.standard) {
        self.limit = max(limit, 0)
    }

    /// False: two are taken.
    public var carriesAnyOctet: Bool { false }

    /// Looks for both controls once each, however many there are and however long the chunk is.
    public mutating func receive(_ chunk: Data) -> [FramingEvent] {
        chunk.withUnsafeBytes { octets in
            var events: [FramingEvent] = []
            var starts = OctetScan(for: Self.start, in: octets)
            var ends = OctetScan(for: Self.end, in: octets)
            var position = 0
            while position < octets.count {
                let start = starts.next(from: position)
                if place == .outside {
                    let count = start - position
                    if count > 0 { events.append(.stray(count: count)) }
                    if start < octets.count { begin() }
                    position = start + 1
                } else {
                    let stop = min(start, ends.next(from: position))
                    take(octets[position..<stop], &events)
                    if stop < octets.count { meet(octets[stop], &events) }
                    position = stop + 1
                }
            }
            return events
        }
    }

    /// Outside of any message again.
    public mutating func reset() {
        place = .outside
        partial = Data()
    }

    /// The message between STX and ETX.
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
        place = .inside
        partial = Data()
    }

    private mutating func take(
        _ octets: Slice<UnsafeRawBufferPointer>,
        _ events: inout [FramingEvent]
    ) {
        guard place == .inside else { return }
        guard octets.count <= limit - partial.count else {
            events.append(.oversize(limit: limit))
            reset()
            place = .passingOver
            return
        }
        partial.append(contentsOf: UnsafeRawBufferPointer(rebasing: octets))
    }

    /// A control inside of a message.
    private mutating func meet(_ control: UInt8, _ events: inout [FramingEvent]) {
        let wasWhole = place == .inside
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
    /// STX (0x02) before each message and ETX (0x03) after it, of up to `limit` octets.
    public static func startEnd(limit: Int = MessageFramingLimits.standard) -> StartEndFraming {
        StartEndFraming(limit: limit)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The length of each message before it, in two or four octets: for messages of any octets over a link
/// that loses none.
///
/// Nothing marks where a message begins. So this framing does not find its way after garbage: a
/// meaningless length has it pass over so many octets. The next link begins anew.
public struct LengthPrefixedFraming: MessageFraming {
    /// How many octets a length has.
    public enum Width: Int, CaseIterable, Sendable {
        /// Messages of up to 65,535 octets.
        case twoOctets = 2
        /// Messages of up to 4 GiB, or of what the limit says.
        case fourOctets = 4
    }

    /// Which octet of a length comes first.
    public enum ByteOrder: CaseIterable, Sendable {
        /// The most significant one.
        case bigEndian
        /// The least significant one.
        case littleEndian
    }

    private enum Place {
        /// In the length, of which so many octets are there.
        case length(count: Int, value: Int)
        case inside(missing: Int)
        case passingOver(missing: Int)
    }

    /// The longest message, in octets.
    public let limit: Int
    private let width: Width
    private let order: ByteOrder
    private var place = Place.length(count: 0, value: 0)
    private var partial = Data()

    /// A framing for messages of up to `limit` octets.
    public init(
        _ width: Width = .fourOctets,
        _ order: ByteOrder = .bigEndian,
        limit: Int = MessageFramingLimits.standard
    ) {
        let expressible = width == .twoOctets ? Int(UInt16.max) : Int(UInt32.max)
        self.limit = min(max(limit, 0), expressible)
        self.width = width
        self.order = order
    }

    /// True.
    public var carriesAnyOctet: Bool { true }

    /// Looks at lengths before anything is kept for what they announce.
    public mutating func receive(_ chunk: Data) -> [FramingEvent] {
        var events: [FramingEvent] = []
        var rest = chunk
        while !rest.isEmpty {
            switch place {
            case .length(let count, let value):
                readLength(rest.removeFirst(), count, value, &events)
            case .inside(let missing):
                let part = rest.prefix(missing)
                rest = rest.dropFirst(missing)
                partial.append(part)
                place = .inside(missing: missing - part.count)
                if part.count == missing { finish(&events) }
            case .passingOver(let missing):
                let count = min(missing, rest.count)
                rest = rest.dropFirst(count)
                place = .passingOver(missing: missing - count)
                if count == missing { reset() }
            }
        }
        return events
    }

    /// The next octet is the first of a length.
    public mutating func reset() {
        place = .length(count: 0, value: 0)
        partial = Data()
    }

    /// The message behind its length.
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
        _ octet: UInt8,
        _ count: Int,
        _ value: Int,
        _ events: inout [FramingEvent]
    ) {
        let length =
            order == .bigEndian ? value << 8 | Int(octet) : value | Int(octet) << (8 * count)
        guard count + 1 == width.rawValue else {
            place = .length(count: count + 1, value: length)
            return
        }
        if length > limit {
            events.append(.oversize(limit: limit))
            place = .passingOver(missing: length)
        } else {
            place = .inside(missing: length)
            if length == 0 { finish(&events) }
        }
    }

    private mutating func finish(_ events: inout [FramingEvent]) {
        events.append(.message(partial))
        reset()
    }
}

extension MessageFraming where Self == LengthPrefixedFraming {
    /// The length before each message, of up to `limit` octets.
    public static func lengthPrefixed(
        _ width: LengthPrefixedFraming.Width = .fourOctets,
        _ order: LengthPrefixedFraming.ByteOrder = .bigEndian,
        limit: Int = MessageFramingLimits.standard
    ) -> LengthPrefixedFraming {
        LengthPrefixedFraming(width, order, limit: limit)
    }
}

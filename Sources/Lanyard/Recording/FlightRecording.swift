// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a ``FlightRecorder`` kept, to be printed, written to a file, and read again.
public struct FlightRecording: Hashable, Sendable {
    /// Why a text is no recording.
    public enum Failure: Error, Hashable, Sendable {
        /// It does not begin as a recording does, or is one of a later version.
        case unknownFormat
        /// The line with this number, from 1, is no event.
        case malformedLine(Int)
        /// It holds more events than any recorder keeps.
        case tooLong
    }

    /// How many events a text may hold.
    public static let eventLimit = 1_000_000

    /// When the time began that the events are told in; nil if nobody knows, as in simulations.
    public var start: Date?
    /// What happened, in the order in which it was noted.
    public var events: [FlightEvent]
    /// How many earlier events are not among them, since there was no room.
    public var dropped: Int

    /// A recording of these events.
    public init(start: Date? = nil, events: [FlightEvent] = [], dropped: Int = 0) {
        self.start = start
        self.events = events
        self.dropped = dropped
    }
}

extension FlightRecording: CustomStringConvertible {
    /// One event a line, for a person.
    public var description: String {
        let missing = dropped > 0 ? ["(\(dropped) earlier events were dropped)"] : []
        return (missing + events.map(\.description)).joined(separator: "\n")
    }
}

// MARK: JSON

/// The first line of a recording.
private struct Head: Codable {
    static let version = 1

    var lanyardRecording: Int
    /// Since 1970.
    var startMicroseconds: Int64?
    var dropped: Int
}

/// Any other line.
private struct Line: Codable {
    var microseconds: Int64
    var device: String?
    var lane: FlightEvent.Lane
    var text: String
    var detail: String?

    init(_ event: FlightEvent) {
        microseconds = event.time.wholeMicroseconds
        device = event.device.isEmpty ? nil : event.device
        lane = event.lane
        text = event.text
        detail = event.detail
    }

    var event: FlightEvent {
        FlightEvent(
            time: .microseconds(microseconds),
            device: device ?? "",
            lane: lane,
            text: text,
            detail: detail
        )
    }
}

extension FlightRecording {
    /// The recording as JSON lines: an object about it, then an object an event. Times are in whole
    /// microseconds.
    public var jsonLines: String {
        let head = Head(
            lanyardRecording: Head.version,
            startMicroseconds: start.flatMap {
                Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded())
            },
            dropped: dropped
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var text = encoder.line(head)
        for event in events { text += encoder.line(Line(event)) }
        return text
    }

    /// Reads what `jsonLines` wrote; empty lines are passed over.
    public init(jsonLines text: String) throws(Failure) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let decoder = JSONDecoder()
        guard let first = lines.first,
            let head = try? decoder.decode(Head.self, from: Data(first.utf8)),
            head.lanyardRecording == Head.version
        else { throw .unknownFormat }
        guard lines.count - 1 <= Self.eventLimit + 1 else { throw .tooLong }
        self.init(
            start: head.startMicroseconds.map {
                Date(timeIntervalSince1970: Double($0) / 1_000_000)
            },
            dropped: max(0, head.dropped)
        )
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            guard let read = try? decoder.decode(Line.self, from: Data(line.utf8)) else {
                throw .malformedLine(index + 1)
            }
            events.append(read.event)
        }
    }
}

extension JSONEncoder {
    /// One line. Texts and whole numbers can always be encoded.
    fileprivate func line(_ value: some Encodable) -> String {
        guard let data = try? encode(value) else { return "" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

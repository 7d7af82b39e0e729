// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The events of a ``FlightRecorder``, for printing and for files.
public struct FlightRecording: Hashable, Sendable {
    /// The reason why a text is not a valid recording.
    public enum Failure: Error, Hashable, Sendable {
        /// The first line is not that of a recording, or belongs to another version.
        case unknownFormat
        /// The line with this number, counted from 1, is not a valid event.
        case malformedLine(Int)
        /// The text contains more events than the limit.
        case tooLong
    }

    /// The maximum number of events in a text.
    public static let eventLimit = 1_000_000

    /// The date that corresponds to the time zero of events; `nil` if there is none.
    public var start: Date?
    /// The events, in the order of their recording.
    public var events: [FlightEvent]
    /// The number of earlier events that were dropped.
    public var dropped: Int

    /// Creates a recording.
    ///
    /// - Parameters:
    ///   - start: The date that corresponds to the time zero of events; `nil` if there is none.
    ///   - events: The events, in the order of their recording.
    ///   - dropped: The number of earlier events that were dropped.
    public init(start: Date? = nil, events: [FlightEvent] = [], dropped: Int = 0) {
        self.start = start
        self.events = events
        self.dropped = dropped
    }
}

extension FlightRecording: CustomStringConvertible {
    /// The events for a person, one in each line.
    public var description: String {
        let missing = dropped > 0 ? ["(\(dropped) earlier events were dropped)"] : []
        return (missing + events.map(\.description)).joined(separator: "\n")
    }
}

// MARK: JSON

/// The first line of a recording.
private struct RecordingHeader: Codable {
    static let version = 1

    var lanyardRecording: Int
    /// Microseconds since 1970.
    var startMicroseconds: Int64?
    var dropped: Int
}

/// Every other line of a recording.
private struct RecordedEvent: Codable {
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
    /// The recording as JSON lines: an object with general data, then an object for each event.
    /// Times are in whole microseconds.
    public var jsonLines: String {
        let header = RecordingHeader(
            lanyardRecording: RecordingHeader.version,
            startMicroseconds: start.flatMap {
                Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded())
            },
            dropped: dropped
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var text = encoder.line(header)
        for event in events { text += encoder.line(RecordedEvent(event)) }
        return text
    }

    /// Creates a recording from the text that ``jsonLines`` returns. Empty lines after the first
    /// line are ignored.
    ///
    /// - Parameter text: The JSON lines, separated by line feeds, with or without carriage returns.
    /// - Throws: ``Failure/unknownFormat`` if the first line is not that of a recording, or belongs
    ///   to another version; ``Failure/malformedLine(_:)`` if another line is not an event;
    ///   ``Failure/tooLong`` if there are more than ``eventLimit`` events.
    public init(jsonLines text: String) throws(Failure) {
        // The other line separators of Unicode can be part of a name.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        let decoder = JSONDecoder()
        guard let first = lines.first,
            let header = try? decoder.decode(RecordingHeader.self, from: Data(first.utf8)),
            header.lanyardRecording == RecordingHeader.version
        else { throw .unknownFormat }
        self.init(
            start: header.startMicroseconds.map {
                Date(timeIntervalSince1970: Double($0) / 1_000_000)
            },
            dropped: max(0, header.dropped)
        )
        for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
            guard events.count < Self.eventLimit else { throw .tooLong }
            guard let read = try? decoder.decode(RecordedEvent.self, from: Data(line.utf8)) else {
                throw .malformedLine(index + 1)
            }
            events.append(read.event)
        }
    }
}

extension JSONEncoder {
    /// Encodes one line. Texts and whole numbers can always be encoded.
    fileprivate func line(_ value: some Encodable) -> String {
        guard let data = try? encode(value) else { return "" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

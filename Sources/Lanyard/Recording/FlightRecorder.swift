// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A recorder of the latest events, to explain the behavior of an accessory afterward.
///
/// A recorder in the configuration of an ``AccessoryCentral`` records changes of state with their
/// reasons, calls to Core Bluetooth, and callbacks. Its capacity is fixed: the oldest events are
/// dropped and counted. All members can be called on any thread.
///
/// ```swift
/// let recorder = FlightRecorder()
/// // Pass it on in the central's configuration. After a problem:
/// try Data(recorder.recording.jsonLines.utf8).write(to: file)
/// ```
///
/// The command `lanyard timeline` creates a page for a browser from a file of these JSON lines.
public final class FlightRecorder: Sendable {
    /// The maximum length of a name, a text or a detail, in bytes.
    public static let textLimit = 1_024

    private struct State {
        var start: Date?
        /// The events; when full, a ring whose oldest event is at `oldest`.
        var events: [FlightEvent] = []
        var oldest = 0
        var dropped = 0
    }

    /// The maximum number of events.
    public let capacity: Int
    private let state = Locked(State())

    /// Creates an empty recorder.
    ///
    /// - Parameter capacity: The maximum number of events. A number below 1 counts as 1.
    public init(capacity: Int = 20_000) {
        self.capacity = max(1, capacity)
    }

    /// Records an event, and drops the oldest one if there is no room.
    ///
    /// - Parameter event: The event. The recorder cuts the name, the text and the detail to
    ///   ``textLimit`` bytes each.
    public func record(_ event: FlightEvent) {
        let event = event.bounded(to: Self.textLimit)
        state.change { state in
            guard state.events.count >= capacity else { return state.events.append(event) }
            state.events[state.oldest] = event
            state.oldest = (state.oldest + 1) % capacity
            state.dropped += 1
        }
    }

    /// Records an event with this time and this text.
    package func record(
        _ lane: FlightEvent.Lane,
        _ text: String,
        of device: String,
        at time: Duration,
        detail: String? = nil
    ) {
        record(FlightEvent(time: time, device: device, lane: lane, text: text, detail: detail))
    }

    /// Sets the date that corresponds to the time zero of events, so that records with calendar
    /// dates can be compared with them. Only the first call has an effect.
    package func setStart(_ date: Date) {
        state.change { $0.start = $0.start ?? date }
    }

    /// The recorded events.
    public var recording: FlightRecording {
        state.change { state in
            FlightRecording(
                start: state.start,
                events: Array(state.events[state.oldest...] + state.events[..<state.oldest]),
                dropped: state.dropped
            )
        }
    }

    /// Removes all events; they do not count as dropped.
    public func removeAll() {
        state.change { state in
            state = State(start: state.start)
        }
    }
}

extension FlightEvent {
    fileprivate func bounded(to limit: Int) -> FlightEvent {
        var event = self
        event.device = device.bounded(to: limit)
        event.text = text.bounded(to: limit)
        event.detail = detail?.bounded(to: limit)
        return event
    }
}

extension String {
    /// Returns the text; if it exceeds the limit in bytes, its first characters with an ellipsis.
    fileprivate func bounded(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = Substring()
        for index in indices {
            let end = self.index(after: index)
            guard utf8.distance(from: startIndex, to: end) <= limit - 3 else { break }
            kept = self[..<end]
        }
        return kept + "…"
    }
}

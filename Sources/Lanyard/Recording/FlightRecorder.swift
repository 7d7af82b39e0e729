// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Keeps what happened last, so that one can look afterwards why an accessory did what it did.
///
/// Give one to an ``AccessoryCentral``, and it notes every change of state with its reason, every call to
/// the framework and every callback of it. It never grows beyond its capacity: the oldest events make
/// room, and are counted. All of it can be used from any thread.
///
/// ```swift
/// let recorder = FlightRecorder()
/// // … pass it on in the central's configuration, and when something went wrong:
/// try Data(recorder.recording.jsonLines.utf8).write(to: file)
/// ```
///
/// The command `lanyard timeline` makes a page of such a file, to be looked at in a browser.
public final class FlightRecorder: Sendable {
    /// How many octets of a text or a detail are kept.
    public static let textLimit = 1_024

    private struct State {
        var start: Date?
        /// Full ones are a ring, whose oldest event is at `oldest`.
        var events: [FlightEvent] = []
        var oldest = 0
        var dropped = 0
    }

    /// How many events are kept.
    public let capacity: Int
    private let state = Mutex(State())

    /// An empty recorder that keeps as many events as said, and at least one.
    public init(capacity: Int = 20_000) {
        self.capacity = max(1, capacity)
    }

    /// Notes an event; the oldest goes if there is no room.
    public func record(_ event: FlightEvent) {
        let event = event.bounded(to: Self.textLimit)
        state.withLock { state in
            guard state.events.count >= capacity else { return state.events.append(event) }
            state.events[state.oldest] = event
            state.oldest = (state.oldest + 1) % capacity
            state.dropped += 1
        }
    }

    /// Notes something that happens now.
    package func record(
        _ lane: FlightEvent.Lane,
        _ text: String,
        of device: String,
        at time: Duration,
        detail: String? = nil
    ) {
        record(FlightEvent(time: time, device: device, lane: lane, text: text, detail: detail))
    }

    /// Says when the time began that events are told in, so that what others noted by the calendar can be
    /// put beside them. What was said first stays.
    package func setStart(_ date: Date) {
        state.withLock { $0.start = $0.start ?? date }
    }

    /// What is kept now.
    public var recording: FlightRecording {
        state.withLock { state in
            FlightRecording(
                start: state.start,
                events: Array(state.events[state.oldest...] + state.events[..<state.oldest]),
                dropped: state.dropped
            )
        }
    }

    /// Forgets all events; they do not count as dropped.
    public func removeAll() {
        state.withLock { state in
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
    /// As much of the text as has room, whole characters only.
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import HCITransports
import Lanyard

/// The events of several devices on one timeline: the events of a recorder and the packets of
/// logs. `TimelinePage` shows it.
struct Timeline: Equatable, Sendable {
    /// A chapter, which lasts until the next one begins.
    struct Chapter: Equatable, Sendable {
        let microseconds: Int64
        let title: String
    }

    /// The details of a packet in addition to its text.
    struct Packet: Equatable, Sendable {
        var isSent: Bool
        var layer: TraceLayer
        /// The first bytes of the HCI packet. For a PDU in fragments, those of the last packet.
        var bytes: [UInt8] = []

        /// The maximum number of bytes that a page shows.
        static let byteLimit = 64
    }

    /// An event, or several equal events.
    struct Event: Equatable, Sendable {
        var microseconds: Int64
        /// The index of a device.
        var device: Int
        var lane: FlightEvent.Lane
        /// The text is safe to show, and so is the detail.
        var text: String
        var detail: String?
        var packet: Packet?
        /// The number of equal events, and the time from the first to the last.
        var count = 1
        var lastsMicroseconds: Int64 = 0
    }

    /// The longest time from the beginning to an event, in microseconds: some 270 years, so that
    /// two times can be subtracted.
    static let timeLimit: Int64 = (1 << 33) * 1_000_000

    /// The maximum number of characters of a text.
    static let textLimit = 400

    var title: String
    var subtitle = ""
    /// The time of the beginning in microseconds since 1970; `nil` if unknown.
    var start: Int64?
    /// Whether the page gets further events while it is open.
    var isLive = false
    private(set) var devices: [String] = []
    /// The events in any order. `sortedEvents` has them by time.
    var events: [Event] = []
    var chapters: [Chapter] = []
    /// Remarks about missing and folded events.
    private(set) var remarks: [String] = []

    init(title: String) {
        self.title = title
    }

    /// The events by time. Events of the same time are in the order in which they were added.
    var sortedEvents: [Event] {
        events.enumerated()
            .sorted { ($0.element.microseconds, $0.offset) < ($1.element.microseconds, $1.offset) }
            .map(\.element)
    }

    /// Returns the index of the device with this name. Adds the device if it is new.
    mutating func device(_ name: String) -> Int {
        let name = TerminalText.escape(name).shortened(to: Self.textLimit)
        if let index = devices.firstIndex(of: name) { return index }
        devices.append(name)
        return devices.count - 1
    }

    /// Adds an event with shortened texts.
    mutating func add(_ event: Event) {
        var event = event
        event.text = event.text.shortened(to: Self.textLimit)
        event.detail = event.detail?.shortened(to: Self.textLimit)
        events.append(event)
    }

    /// Adds a remark about missing or folded events.
    mutating func remark(_ text: String) {
        remarks.append(text)
    }
}

extension String {
    /// Returns the text in at most this many characters, the last an ellipsis if it was cut.
    func shortened(to limit: Int) -> String {
        count <= limit ? self : prefix(limit - 1) + "…"
    }
}

extension Timeline {
    /// Adds a recording.
    ///
    /// - Parameter central: The name of the rows for events without an accessory.
    mutating func add(_ recording: FlightRecording, central: String) {
        start =
            start
            ?? recording.start.flatMap {
                Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded())
            }
        _ = device(central)
        for event in recording.events {
            add(
                Event(
                    microseconds: event.microseconds,
                    device: device(event.device.isEmpty ? central : event.device),
                    lane: event.lane,
                    text: TerminalText.escape(event.text),
                    detail: event.detail.map { TerminalText.escape($0) }
                )
            )
        }
        guard recording.dropped > 0 else { return }
        remark("\(recording.dropped) earlier events were dropped by the recorder")
    }
}

extension FlightEvent {
    /// The time in microseconds, bounded so that sums do not overflow.
    fileprivate var microseconds: Int64 {
        let bound = Duration.microseconds(Timeline.timeLimit)
        return min(max(time, .zero - bound), bound).nanoseconds / 1_000
    }
}

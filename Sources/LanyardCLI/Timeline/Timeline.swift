// SPDX-License-Identifier: Apache-2.0

import HCITransports
import Lanyard

/// What happened to several devices, on one time line: what a recorder noted, and the packets that
/// logs hold. `TimelinePage` shows it.
struct Timeline: Equatable, Sendable {
    /// A part of a story: from its moment until the next.
    struct Chapter: Equatable, Sendable {
        let microseconds: Int64
        let title: String
    }

    /// What is to be known of a packet beside its text.
    struct Packet: Equatable, Sendable {
        var isSent: Bool
        var layer: TraceLayer
    }

    /// Something that happened, or several things alike.
    struct Event: Equatable, Sendable {
        var microseconds: Int64
        /// The index of a device.
        var device: Int
        var lane: FlightEvent.Lane
        /// Safe to show, as the detail is.
        var text: String
        var detail: String?
        var packet: Packet?
        /// How many that are alike it stands for, and how long from the first to the last.
        var count = 1
        var lastsMicroseconds: Int64 = 0
    }

    /// How many characters of a text are shown.
    static let textLimit = 400

    var title: String
    var subtitle = ""
    /// Microseconds since 1970 when the time began; nil if nobody knows.
    var start: Int64?
    private(set) var devices: [String] = []
    /// In no order; `sortedEvents` has them in that of time.
    var events: [Event] = []
    var chapters: [Chapter] = []
    /// What a reader should know about what is missing.
    private(set) var remarks: [String] = []

    init(title: String) {
        self.title = title
    }

    /// In the order of time; those of one moment in the order in which they were added.
    var sortedEvents: [Event] {
        events.enumerated()
            .sorted { ($0.element.microseconds, $0.offset) < ($1.element.microseconds, $1.offset) }
            .map(\.element)
    }

    /// The index of the device with this name, which gets a place if it has none yet. The first to be
    /// asked for is the topmost.
    mutating func device(_ name: String) -> Int {
        let name = TerminalText.escape(name).shortened(to: Self.textLimit)
        if let index = devices.firstIndex(of: name) { return index }
        devices.append(name)
        return devices.count - 1
    }

    /// Adds an event, whose texts are shortened where they are long.
    mutating func add(_ event: Event) {
        var event = event
        event.text = event.text.shortened(to: Self.textLimit)
        event.detail = event.detail?.shortened(to: Self.textLimit)
        events.append(event)
    }

    /// Tells a reader something about what is missing.
    mutating func remark(_ text: String) {
        remarks.append(text)
    }
}

extension String {
    /// At most so many characters, the last an ellipsis where something is left out.
    func shortened(to limit: Int) -> String {
        count <= limit ? self : prefix(limit - 1) + "…"
    }
}

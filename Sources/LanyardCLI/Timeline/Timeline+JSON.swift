// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import JSONText
import Lanyard

extension Timeline {
    /// The JSON for the page's script. Texts are stored once and referred to by number.
    var json: JSON {
        var texts = TextTable()
        var list: [JSON] = []
        var last: Int64 = 0
        for event in sortedEvents {
            list.append(event.json(after: last, &texts))
            last = event.microseconds
        }
        return .object([
            .init("title", .string(title)),
            .init("subtitle", .string(subtitle)),
            .init("start", .integer(orNull: start.map { Int($0) })),
            .init("live", .bool(isLive)),
            .init("devices", .array(devices.map { .string($0) })),
            .init("chapters", .array(chapters.map(\.json))),
            .init("remarks", .array(remarks.map { .string($0) })),
            .init("texts", .array(texts.texts.map { .string($0) })),
            .init("events", .array(list)),
        ])
    }
}

/// A table of texts, each stored once.
private struct TextTable {
    private(set) var texts: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func number(of text: String) -> JSON {
        if let number = numbers[text] { return .integer(number) }
        numbers[text] = texts.count
        texts.append(text)
        return .integer(texts.count - 1)
    }
}

extension Timeline.Chapter {
    fileprivate var json: JSON {
        .object([.init("time", .integer(Int(microseconds))), .init("title", .string(title))])
    }
}

extension Timeline.Event {
    /// Returns the fields in the order that the script expects. Unused fields at the end are left
    /// out.
    fileprivate func json(after last: Int64, _ texts: inout TextTable) -> JSON {
        var fields: [JSON] = [
            .integer(Int(microseconds - last)), .integer(device), .integer(lane.number),
            texts.number(of: text), detail.map { texts.number(of: $0) } ?? .integer(-1),
        ]
        guard packet != nil || count > 1 else { return .array(fields) }
        fields += [
            .integer(packet?.isSent == true ? 1 : 0), .integer(packet?.layer.number ?? 0),
        ]
        let bytes = packet?.bytes ?? []
        guard count > 1 || !bytes.isEmpty else { return .array(fields) }
        fields += [.integer(count), .integer(Int(lastsMicroseconds))]
        if !bytes.isEmpty { fields.append(texts.number(of: bytes.hexadecimal)) }
        return .array(fields)
    }
}

extension Timeline.Event {
    /// The fields of an event that a page gets while it is open: the time, the device, the lane,
    /// the text, the detail, whether the host sent a packet, its layer, and its bytes.
    var followed: JSON {
        .array([
            .integer(Int(microseconds)), .integer(device), .integer(lane.number), .string(text),
            .string(orNull: detail), .integer(packet?.isSent == true ? 1 : 0),
            .integer(packet?.layer.number ?? 0), .bytes(packet?.bytes ?? []),
        ])
    }
}

extension FlightEvent.Lane {
    /// The number in the script.
    fileprivate var number: Int {
        switch self {
        case .state: 0
        case .call: 1
        case .callback: 2
        case .packet: 3
        case .note: 4
        }
    }
}

extension TraceLayer {
    /// The number in the script.
    fileprivate var number: Int {
        switch self {
        case .hci: 0
        case .ll: 1
        case .l2cap: 2
        case .att: 3
        case .smp: 4
        }
    }
}

extension Timeline {
    /// The maximum number of events on a page. A page with more is slow to open and too long to
    /// read.
    static let eventLimit = 6_000
    /// The longest gap in microseconds between equal events that are folded into one.
    static let repetitionGap: Int64 = 5_000_000

    /// Shortens a timeline of more than `limit` events: folds repeated events, and then leaves out
    /// the beginning if there are still too many. Adds a remark about each change.
    mutating func fit(to limit: Int = eventLimit) {
        guard events.count > limit else { return }
        fold()
        guard events.count > limit else { return }
        let leftOut = events.count - limit
        events = Array(sortedEvents.dropFirst(leftOut))
        remark("\(leftOut) earlier events are left out")
    }

    private struct Row: Hashable {
        let device: Int
        let lane: FlightEvent.Lane
    }

    /// Folds consecutive events with the same text and packet in each lane of a device, except
    /// states.
    private mutating func fold() {
        var rows: [Event] = []
        // The last event of each device and lane.
        var lasts: [Row: Int] = [:]
        for event in sortedEvents {
            let row = Row(device: event.device, lane: event.lane)
            if let last = lasts[row], event.lane != .state, rows[last].isAlike(event),
                rows[last].fold(at: event.microseconds, gap: Self.repetitionGap)
            {
                continue
            }
            lasts[row] = rows.count
            rows.append(event)
        }
        let folded = events.count - rows.count
        events = rows
        if folded > 0 { remark("\(folded) repeated events are shown together") }
    }
}

extension Timeline.Event {
    /// Counts one more equal event, unless the gap is too long. Returns whether it was counted.
    mutating func fold(at time: Int64, gap: Int64) -> Bool {
        let lasts = time - microseconds
        guard lasts - lastsMicroseconds <= gap else { return false }
        count += 1
        lastsMicroseconds = max(lastsMicroseconds, lasts)
        return true
    }

    fileprivate func isAlike(_ other: Self) -> Bool {
        text == other.text && packet == other.packet
    }
}

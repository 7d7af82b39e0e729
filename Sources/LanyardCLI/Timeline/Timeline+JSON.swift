// SPDX-License-Identifier: Apache-2.0

import Lanyard

extension Timeline {
    /// What the page's script reads: texts that recur stand once, and are referred to by number.
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
            .init("start", .number(orNull: start.map { Int($0) })),
            .init("devices", .array(devices.map { .string($0) })),
            .init("chapters", .array(chapters.map(\.json))),
            .init("remarks", .array(remarks.map { .string($0) })),
            .init("texts", .array(texts.texts.map { .string($0) })),
            .init("events", .array(list)),
        ])
    }
}

/// Texts, each once.
private struct TextTable {
    private(set) var texts: [String] = []
    private var numbers: [String: Int] = [:]

    mutating func number(of text: String) -> JSON {
        if let number = numbers[text] { return .number(number) }
        numbers[text] = texts.count
        texts.append(text)
        return .number(texts.count - 1)
    }
}

extension Timeline.Chapter {
    fileprivate var json: JSON {
        .object([.init("time", .number(Int(microseconds))), .init("title", .string(title))])
    }
}

extension Timeline.Event {
    /// The fields, in the order that the script expects; what nobody needs is left out at the end.
    fileprivate func json(after last: Int64, _ texts: inout TextTable) -> JSON {
        var fields: [JSON] = [
            .number(Int(microseconds - last)), .number(device), .number(lane.number),
            texts.number(of: text), detail.map { texts.number(of: $0) } ?? .number(-1),
        ]
        guard packet != nil || count > 1 else { return .array(fields) }
        fields += [
            .number(packet?.isSent == true ? 1 : 0), .number(packet?.layer.number ?? 0),
        ]
        guard count > 1 else { return .array(fields) }
        fields += [.number(count), .number(Int(lastsMicroseconds))]
        return .array(fields)
    }
}

extension FlightEvent.Lane {
    /// The script's number for it.
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
    /// The script's number for it.
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

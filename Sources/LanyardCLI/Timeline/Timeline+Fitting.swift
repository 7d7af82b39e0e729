// SPDX-License-Identifier: Apache-2.0

import Lanyard

extension Timeline {
    /// How many events a page shows: beyond that it is slow to open, and too long to read.
    static let eventLimit = 6_000
    /// Alike events with more time between them than this are told apart.
    static let repetitionGap: Int64 = 5_000_000

    /// Makes a long time line short enough for a page: what repeats is folded, and if that is not enough,
    /// the beginning is left out. Says so.
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

    /// Folds calls, callbacks and packets of one device that follow each other and are alike.
    private mutating func fold() {
        var kept: [Event] = []
        // The last of each device and lane.
        var lasts: [Row: Int] = [:]
        for event in sortedEvents {
            let row = Row(device: event.device, lane: event.lane)
            if let last = lasts[row], event.lane != .state, kept[last].isAlike(event),
                kept[last].fold(at: event.microseconds, gap: Self.repetitionGap)
            {
                continue
            }
            lasts[row] = kept.count
            kept.append(event)
        }
        let folded = events.count - kept.count
        events = kept
        if folded > 0 { remark("\(folded) repeated events are shown together") }
    }
}

extension Timeline.Event {
    /// Counts one more that is alike, unless it came much later.
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

// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// When which value is to be sent next.
struct PeriodSchedule: Sendable {
    private struct Entry: Sendable {
        let handle: AttributeHandle
        let period: Duration
        var next: Instant
    }

    private var entries: [Entry]

    /// Each for the first time when its period is over once.
    init(_ periods: [(handle: AttributeHandle, period: Duration)], now: Instant) {
        entries = periods.map { Entry(handle: $0.handle, period: $0.period, next: now + $0.period) }
    }

    /// When something is to be done; nil for never.
    var nextDeadline: Instant? { entries.map(\.next).min() }

    /// What is to be sent now. What was missed, because nobody looked for a while, is not made up
    /// for.
    mutating func takeDue(now: Instant) -> [AttributeHandle] {
        entries.indices.filter { entries[$0].next <= now }.map { index in
            let due = entries[index].next + entries[index].period
            entries[index].next = due > now ? due : now + entries[index].period
            return entries[index].handle
        }
    }
}

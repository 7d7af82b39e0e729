// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The times at which to open a failed transport again: soon at first, then less often, without
/// end.
struct ReopenSchedule: Sendable {
    static let firstDelay: Duration = .milliseconds(100)
    static let longestDelay: Duration = .seconds(3)

    private var delay = firstDelay
    /// The time at which to open the transport again, or `nil` if no attempt is scheduled.
    private(set) var deadline: Instant?

    /// Schedules the next attempt after a failure of the transport at `now`.
    mutating func failed(now: Instant) {
        deadline = now + delay
        delay = min(delay * 2, Self.longestDelay)
    }

    /// Ends the wait, because the transport is being opened.
    mutating func begun() {
        deadline = nil
    }

    /// Starts over with the shortest delay, because the controller behind the transport works.
    mutating func succeeded() {
        self = ReopenSchedule()
    }
}

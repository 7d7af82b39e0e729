// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// When to try again to open a transport that failed: soon at first, then less often, for ever.
struct ReopenSchedule: Sendable {
    static let firstDelay: Duration = .milliseconds(100)
    static let longestDelay: Duration = .seconds(3)

    private var delay = firstDelay
    /// When the transport is to be opened again; nil while it need not be.
    private(set) var deadline: Instant?

    /// The transport failed at `now`.
    mutating func failed(now: Instant) {
        deadline = now + delay
        delay = min(delay * 2, Self.longestDelay)
    }

    /// The transport is being opened.
    mutating func begun() {
        deadline = nil
    }

    /// The controller behind the transport works: start over with the shortest delay.
    mutating func succeeded() {
        self = ReopenSchedule()
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A clock that runs only during a scan, because silence without a scan does not prove that a
/// device has left.
package struct ListeningTime: Hashable, Sendable {
    private var before = Duration.zero
    private var start: Duration?

    package init() {}

    /// Whether a scan is running.
    package var isRunning: Bool { start != nil }

    /// Returns the total scanning time until now.
    package func elapsed(at now: Duration) -> Duration {
        before + stretch(at: now)
    }

    /// Returns the duration of the current scan.
    package func stretch(at now: Duration) -> Duration {
        start.map { max(now - $0, .zero) } ?? .zero
    }

    /// Returns the time at which the total scanning time reaches this value; `nil` without a scan.
    package func instant(of elapsed: Duration) -> Duration? {
        start.map { $0 + (elapsed - before) }
    }

    /// Starts the clock. Returns `false` if it was running already.
    package mutating func begin(now: Duration) -> Bool {
        guard start == nil else { return false }
        start = now
        return true
    }

    /// Stops the clock.
    package mutating func end(now: Duration) {
        before = elapsed(at: now)
        start = nil
    }
}

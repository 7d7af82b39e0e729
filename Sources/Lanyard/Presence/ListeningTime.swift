// SPDX-License-Identifier: Apache-2.0

/// A clock for *listening time*: the total time during which a scan was running.
///
/// The silence of a device is measured in listening time, because silence without a scan does not
/// prove that the device has left.
package struct ListeningTime: Hashable, Sendable {
    private var before = Duration.zero
    private var start: Duration?

    package init() {}

    /// Whether a scan is running.
    package var isRunning: Bool { start != nil }

    /// Returns the listening time until `now`.
    package func elapsed(at now: Duration) -> Duration {
        before + stretch(at: now)
    }

    /// Returns the duration of the current scan; zero if no scan is running.
    package func stretch(at now: Duration) -> Duration {
        start.map { max(now - $0, .zero) } ?? .zero
    }

    /// Returns the time at which the listening time reaches this value; `nil` if no scan is
    /// running.
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

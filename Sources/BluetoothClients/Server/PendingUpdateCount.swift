// SPDX-License-Identifier: Apache-2.0

/// A counter, with a limit, of the values that a manager is sending to its subscribers.
///
/// A value counts until it was sent to all its subscribers or, for indications, until all of them
/// confirmed it. A subscriber that the value can no longer reach is not awaited. An application
/// that sends while there is space thus sends at the speed of its slowest subscriber.
package struct PendingUpdateCount: Sendable {
    /// The maximum number of values of a manager.
    package static let limit = 32

    /// The number of values that are being sent.
    package private(set) var count = 0
    /// Whether a value was refused, so that the application has to be informed of space.
    private(set) var hasRefused = false

    package init() {}

    /// Counts a value to send. If the limit is reached, returns `false` and records the refusal.
    package mutating func reserve() -> Bool {
        guard count < Self.limit else {
            hasRefused = true
            return false
        }
        count += 1
        return true
    }

    /// Counts a value that is no longer being sent. Returns whether to inform the application of
    /// space.
    package mutating func release() -> Bool {
        count -= 1
        defer { hasRefused = false }
        return hasRefused
    }
}

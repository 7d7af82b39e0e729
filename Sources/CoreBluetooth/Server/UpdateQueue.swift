// SPDX-License-Identifier: Apache-2.0

/// The room for values that a manager has on their way to its subscribers.
///
/// A value holds its place until it has left for the last of those it goes to, or, indicated, was
/// confirmed by it: an application that sends as long as there is room sends at the speed of its
/// slowest subscriber.
struct UpdateQueue: Sendable {
    /// How many values a manager may have on their way.
    static let limit = 32

    /// How many are on their way.
    private(set) var count = 0
    /// Whether there was no room, and the application is to be told when there is.
    private(set) var hasRefused = false

    /// Takes a place; false if there is none, which is remembered.
    mutating func reserve() -> Bool {
        guard count < Self.limit else {
            hasRefused = true
            return false
        }
        count += 1
        return true
    }

    /// Gives a place back. True if somebody is to be told that there is room.
    mutating func release() -> Bool {
        count -= 1
        defer { hasRefused = false }
        return hasRefused
    }
}

// SPDX-License-Identifier: Apache-2.0

/// A running timeout. It belongs to the state that it limits. Each state has a countdown with
/// another number or none, so a late countdown is recognized by its number and ignored.
struct Countdown: Hashable, Sendable {
    /// The number of the countdown in its state machine.
    var number: Int
    /// The end of the countdown, on the clock of the driver.
    var deadline: Duration
}

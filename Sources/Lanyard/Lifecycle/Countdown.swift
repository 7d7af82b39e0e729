// SPDX-License-Identifier: Apache-2.0

/// A time-out that runs. It lives in the state that it limits: another state has another one or none, so
/// that one which ends too late is known by its number, and means nothing any more.
struct Countdown: Hashable, Sendable {
    /// Which one of the machine's.
    var number: Int
    /// When it ends, by the time of the one who drives the machine.
    var deadline: Duration
}

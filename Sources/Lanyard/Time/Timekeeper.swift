// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A clock with timers.
///
/// Apps use the system's clock, and simulations use a virtual clock. `hold` and `release` keep
/// virtual time from advancing while work is on its way to another thread. They have no effect on
/// the system's clock.
package protocol Timekeeper: Sendable {
    /// The time since a fixed moment. It never decreases, and it advances while the system sleeps.
    var now: Duration { get }

    /// Creates a timer that is not set. It calls `fired` on the queue once for each setting, unless
    /// it is set again before.
    func makeTimer(
        on queue: DispatchQueue,
        _ fired: @escaping @Sendable () -> Void
    ) -> any TimekeeperTimer

    /// Stops virtual time until the matching call of `release()`. Calls can be nested.
    func hold()

    /// Lets virtual time continue.
    func release()

    /// Runs `work` on the queue, after the work that already waits. Virtual time stops until `work`
    /// is done.
    func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void)
}

/// A timer that can be set repeatedly. Releasing the timer cancels it.
package protocol TimekeeperTimer: Sendable {
    /// Sets the timer to a time of its timekeeper. The timer fires at once if that time has passed.
    /// `nil` cancels the former setting.
    func set(to deadline: Duration?)
}

extension Timekeeper {
    /// Runs `work` on the queue, after the work that already waits. Virtual time stops until `work`
    /// is done.
    package func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        hold()
        queue.async {
            work()
            release()
        }
    }
}

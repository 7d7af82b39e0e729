// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// What tells the time, and calls when it has come.
///
/// Applications never see it: they live by the system's. Tests give one whose time is virtual; it has to
/// stand still while work that came of it is on its way to another thread, which is what `hold` and
/// `release` are for.
package protocol Timekeeper: Sendable {
    /// How long ago some moment is that never changes. It does not go back, and goes on while the system
    /// sleeps.
    var now: Duration { get }

    /// A timer that is not set. `fired` is called on the queue, once for each time that it was set, unless
    /// it was set otherwise before.
    func makeTimer(
        on queue: DispatchQueue,
        _ fired: @escaping @Sendable () -> Void
    ) -> any TimekeeperTimer

    /// Has time stand still until `release()`, which has to follow. They nest.
    func hold()

    /// Lets time go on.
    func release()

    /// Runs `work` on the queue, behind what is there; time stands still until it is done.
    func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void)
}

/// A timer that can be set again and again. To let go of it is to cancel it.
package protocol TimekeeperTimer: Sendable {
    /// Fires at `deadline` of its timekeeper's time, at once if that is over; never if nil.
    func set(to deadline: Duration?)
}

extension Timekeeper {
    /// Runs `work` on the queue, behind what is there; time stands still until it is done.
    package func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        hold()
        queue.async {
            work()
            release()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Lanyard
import Synchronization

/// A clock that advances only when a test requests it.
final class ManualTimekeeper: Timekeeper {
    private struct State {
        var now = Duration.seconds(1_000)
        var timers: [ManualTimer] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock(\.now) }

    func makeTimer(
        on queue: DispatchQueue,
        _ fired: @escaping @Sendable () -> Void
    ) -> any TimekeeperTimer {
        let timer = ManualTimer(queue: queue, fired: fired)
        state.withLock { $0.timers.append(timer) }
        return timer
    }

    func hold() {}
    func release() {}

    /// Advances the time, and fires the timers that are due.
    func advance(by duration: Duration) {
        let (now, timers) = state.withLock { state in
            state.now += duration
            return (state.now, state.timers)
        }
        for timer in timers { timer.timePassed(now) }
    }
}

private final class ManualTimer: TimekeeperTimer {
    private let queue: DispatchQueue
    private let fired: @Sendable () -> Void
    private let deadline = Mutex<Duration?>(nil)

    init(queue: DispatchQueue, fired: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.fired = fired
    }

    func set(to deadline: Duration?) {
        self.deadline.withLock { $0 = deadline }
    }

    func timePassed(_ now: Duration) {
        let isDue = deadline.withLock { deadline in
            guard let due = deadline, due <= now else { return false }
            deadline = nil
            return true
        }
        if isDue { queue.async(execute: fired) }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization

/// An executor whose clock moves only when a test moves it.
final class ManualExecutor: HostExecutor {
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private struct State {
        var now = Instant.zero
        var work: [Work] = []
        var turnEnd: [@Sendable () -> Void] = []
        var timers: [ManualTimer] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.work.append(.job(job)) }
    }

    func perform(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(.closure(work)) }
    }

    func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.turnEnd.append(work) }
    }

    func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
        let timer = ManualTimer(fired: fired)
        state.withLock { $0.timers.append(timer) }
        return timer
    }

    /// Runs all enqueued work at the current time.
    func drive() {
        while true {
            let (work, turnEnd) = state.withLock { state in
                defer {
                    state.work = []
                    if state.work.isEmpty { state.turnEnd = [] }
                }
                return (state.work, state.turnEnd)
            }
            guard !work.isEmpty || !turnEnd.isEmpty else { return }
            for item in work {
                switch item {
                case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                case .closure(let closure): closure()
                }
            }
            for item in turnEnd { item() }
        }
    }

    /// Moves the clock, and fires the timers on the way, each at its own time.
    func advance(by duration: Duration) {
        let end = now + duration
        while let next = state.withLock({ $0.timers.compactMap(\.deadline).min() }), next <= end {
            state.withLock { $0.now = max($0.now, next) }
            for timer in state.withLock({ $0.timers }) where timer.deadline == next { timer.fire() }
            drive()
        }
        state.withLock { $0.now = end }
        drive()
    }
}

/// The timer of a `ManualExecutor`.
final class ManualTimer: HostTimer {
    private let fired: @Sendable () -> Void
    private let storage = Mutex<Instant?>(nil)

    init(fired: @escaping @Sendable () -> Void) {
        self.fired = fired
    }

    var deadline: Instant? { storage.withLock { $0 } }

    func set(to deadline: Instant?) {
        storage.withLock { $0 = deadline }
    }

    func fire() {
        set(to: nil)
        fired()
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports
import Synchronization

/// An executor that runs its work only when a test calls `run`, on the thread of the test.
final class StepExecutor: HostExecutor {
    /// The number of steps after which `run` treats the work as endless. No test needs as many.
    private static let workLimit = 1_000_000

    fileprivate enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    fileprivate struct State {
        var now = Instant.zero
        var work: [Work] = []
        var turnEnd: [@Sendable () -> Void] = []
        var deadlines: [Int: (deadline: Instant, fired: @Sendable () -> Void)] = [:]
        var timerCount = 0
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }

    func perform(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(.closure(work)) }
    }

    func performAtTurnEnd(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.turnEnd.append(work) }
    }

    func makeTimer(_ fired: @escaping @Sendable () -> Void) -> any HostTimer {
        let number = state.withLock { state in
            state.timerCount += 1
            return state.timerCount
        }
        return StepTimer { [weak self] deadline in
            self?.state.withLock { $0.deadlines[number] = deadline.map { ($0, fired) } }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.work.append(.job(job)) }
    }

    func checkIsolated() {}

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func isIsolatingCurrentContext() -> Bool? { true }

    /// Runs all work and the work that follows. Returns `false` if the work is endless.
    @discardableResult
    func run() -> Bool {
        for _ in 0..<Self.workLimit {
            guard let work = state.withLock({ $0.takeNext() }) else { return true }
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .closure(let closure): closure()
            }
        }
        return false
    }

    /// Advances the clock and fires each timer that is due.
    func advance(by duration: Duration) {
        let end = now + duration
        run()
        while let fired = state.withLock({ $0.takeTimer(due: end) }) {
            fired()
            run()
        }
        state.withLock { $0.now = end }
    }
}

extension StepExecutor.State {
    fileprivate mutating func takeNext() -> StepExecutor.Work? {
        if !work.isEmpty { return work.removeFirst() }
        return turnEnd.isEmpty ? nil : .closure(turnEnd.removeFirst())
    }

    fileprivate mutating func takeTimer(due end: Instant) -> (@Sendable () -> Void)? {
        guard let next = deadlines.min(by: { $0.value.deadline < $1.value.deadline }),
            next.value.deadline <= end
        else { return nil }
        deadlines[next.key] = nil
        now = max(now, next.value.deadline)
        return next.value.fired
    }
}

private struct StepTimer: HostTimer {
    let change: @Sendable (Instant?) -> Void

    func set(to deadline: Instant?) { change(deadline) }
}

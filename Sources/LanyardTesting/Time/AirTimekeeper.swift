// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Dispatch
import HCITransports
import Lanyard

/// A `Timekeeper` with which `Lanyard` measures and waits in the time of a virtual air.
package struct AirTimekeeper: Timekeeper {
    let executor: any HostExecutor

    /// Creates the timekeeper of the air to which the executor belongs.
    package init(_ executor: any HostExecutor) {
        self.executor = executor
    }

    package var now: Duration { executor.now - .zero }

    package func makeTimer(
        on queue: DispatchQueue,
        _ fired: @escaping @Sendable () -> Void
    ) -> any TimekeeperTimer {
        AirTimer(executor: executor, queue: queue, fired: fired)
    }

    package func perform(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        executor.beginOutsideWork()
        queue.async { [executor] in
            executor.performOutsideWork(work)
            executor.endOutsideWork()
        }
    }

    package func hold() { executor.beginOutsideWork() }

    package func release() { executor.endOutsideWork() }
}

/// A timer in the time of an air, which calls its closure on a queue outside of the air. The air's
/// time stops while the closure runs.
private final class AirTimer: TimekeeperTimer {
    private struct Setting {
        var number = 0
        var timer: (any HostTimer)?
    }

    private let executor: any HostExecutor
    private let queue: DispatchQueue
    private let fired: @Sendable () -> Void
    private let setting = Lock(Setting())

    init(
        executor: any HostExecutor,
        queue: DispatchQueue,
        fired: @escaping @Sendable () -> Void
    ) {
        self.executor = executor
        self.queue = queue
        self.fired = fired
    }

    deinit {
        let timer = setting.withLock { $0.timer }
        executor.perform { timer?.set(to: nil) }
    }

    /// Sets the air's timer on the air's thread. The air's time does not advance before the timer
    /// is set.
    func set(to deadline: Duration?) {
        let number = setting.withLock { setting in
            setting.number += 1
            return setting.number
        }
        executor.perform { [weak self] in self?.arm(number, deadline) }
    }

    private func arm(_ number: Int, _ deadline: Duration?) {
        let (former, timer) = setting.withLock { setting -> (HostTimerPair) in
            guard setting.number == number else { return (nil, nil) }
            let former = setting.timer
            setting.timer = deadline.map { _ in
                executor.makeTimer { [weak self] in self?.fire(number) }
            }
            return (former, setting.timer)
        }
        former?.set(to: nil)
        guard let timer, let deadline else { return }
        timer.set(to: .zero + deadline)
    }

    private func fire(_ number: Int) {
        executor.beginOutsideWork()
        queue.async { [weak self, executor] in
            executor.performOutsideWork { self?.call(number) }
            executor.endOutsideWork()
        }
    }

    /// Calls the closure, unless the timer was set again meanwhile.
    private func call(_ number: Int) {
        let isCurrent = setting.withLock { setting in
            guard setting.number == number, setting.timer != nil else { return false }
            setting.timer = nil
            return true
        }
        if isCurrent { fired() }
    }
}

private typealias HostTimerPair = (former: (any HostTimer)?, new: (any HostTimer)?)

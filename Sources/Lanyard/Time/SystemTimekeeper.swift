// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The clock and the timers of the system.
package struct SystemTimekeeper: Timekeeper {
    private static let origin = ContinuousClock.now

    /// Creates the timekeeper.
    package init() {}

    package var now: Duration { ContinuousClock.now - Self.origin }

    package func makeTimer(
        on queue: DispatchQueue,
        _ fired: @escaping @Sendable () -> Void
    ) -> any TimekeeperTimer {
        SystemTimer(queue: queue, fired: fired)
    }

    package func hold() {}
    package func release() {}
}

/// A timer of the system. Each setting has its own dispatch source, which ends with the next
/// setting.
private final class SystemTimer: TimekeeperTimer {
    private struct Setting {
        var source: (any DispatchSourceTimer)?
        var number = 0
    }

    private let queue: DispatchQueue
    private let fired: @Sendable () -> Void
    private let setting = Locked(Setting())

    init(queue: DispatchQueue, fired: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.fired = fired
    }

    deinit {
        setting.change { $0.source?.cancel() }
    }

    func set(to deadline: Duration?) {
        setting.change { setting in
            setting.number += 1
            setting.source?.cancel()
            setting.source = deadline.map { makeSource(at: $0, number: setting.number) }
        }
    }

    private func makeSource(at deadline: Duration, number: Int) -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        let (seconds, attoseconds) = max(deadline - SystemTimekeeper().now, .zero).components
        let nanoseconds =
            Int(min(seconds, 1 << 32)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        source.schedule(deadline: .now() + .nanoseconds(nanoseconds))
        source.setEventHandler { [weak self] in self?.fire(number) }
        source.resume()
        return source
    }

    /// Fires unless the timer was set again after this source had fired.
    private func fire(_ number: Int) {
        let isCurrent = setting.change { setting in
            guard setting.number == number else { return false }
            setting.source?.cancel()
            setting.source = nil
            return true
        }
        if isCurrent { fired() }
    }
}

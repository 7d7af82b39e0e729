// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The timer of an `AdapterExecutor`.
///
/// The conformance is unchecked: only the executor's thread accesses `deadline`. `set` uses
/// `executor.loop`, which traps on any other thread, and the event loop calls the other methods.
final class AdapterTimer: HostTimer, @unchecked Sendable {
    private let executor: AdapterExecutor
    private let fired: @Sendable () -> Void
    private(set) var deadline: Instant?

    init(executor: AdapterExecutor, fired: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.fired = fired
    }

    func set(to newDeadline: Instant?) {
        let loop = executor.loop
        switch (deadline, newDeadline) {
        case (nil, .some): loop.arm(self)
        case (.some, nil): loop.disarm(self)
        default: break
        }
        deadline = newDeadline
        loop.deadlineChanged()
    }

    func isDue(at now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    func isDue(before other: AdapterTimer) -> Bool {
        guard let deadline, let otherDeadline = other.deadline else { return false }
        return deadline < otherDeadline
    }

    /// Fires the timer, unless a timer that fired just before has postponed or removed the
    /// deadline.
    func fire(at now: Instant) {
        guard isDue(at: now) else { return }
        set(to: nil)
        fired()
    }
}

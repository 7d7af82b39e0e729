// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The timer of an `AdapterExecutor`.
///
/// Unchecked: `deadline` is touched on the executor's thread only. `set` goes through
/// `executor.loop`, which traps on any other, and the loop calls the rest.
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
    }

    func isDue(at now: Instant) -> Bool {
        deadline.map { $0 <= now } ?? false
    }

    func isDue(before other: AdapterTimer) -> Bool {
        guard let deadline, let otherDeadline = other.deadline else { return false }
        return deadline < otherDeadline
    }

    /// Fires, unless a timer that fired just before has moved or removed the deadline.
    func fire(at now: Instant) {
        guard isDue(at: now) else { return }
        set(to: nil)
        fired()
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import HCITransports

/// A timer that fires periodically on an executor while it is referenced. `begin()` must be called
/// on that executor, or while the executor does not run.
final class RepeatingTimer: Sendable {
    private let executor: any HostExecutor
    private let period: Duration
    private let fired: @Sendable () -> Void
    private let timer = Lock<(any HostTimer)?>(nil)

    init(
        on executor: any HostExecutor,
        every period: Duration,
        _ fired: @escaping @Sendable () -> Void
    ) {
        self.executor = executor
        self.period = period
        self.fired = fired
    }

    func begin() {
        let new = executor.makeTimer { [weak self] in
            self?.setNext()
            self?.fired()
        }
        timer.withLock { $0 = new }
        setNext()
    }

    private func setNext() {
        timer.withLock { $0 }?.set(to: executor.now + period)
    }
}

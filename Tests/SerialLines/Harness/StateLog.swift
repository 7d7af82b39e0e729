// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// All states of a host in order, and the tasks that wait for the next one.
final class StateLog: Sendable {
    private struct Log {
        var states: [AdapterState] = []
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    struct Ended: Error {}

    private let log = Mutex(Log())

    init(_ host: BluetoothHost) {
        let states = host.states
        Task { [weak self] in
            for await state in states { self?.change { $0.states.append(state) } }
            self?.change { $0.hasEnded = true }
        }
    }

    var all: [AdapterState] { log.withLock { $0.states } }

    private func change(_ body: (inout sending Log) -> Void) {
        let waiters = log.withLock { log in
            body(&log)
            defer { log.waiters = [] }
            return log.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for a matching state from `index` on. Returns the index after it.
    func wait(
        from index: Int,
        until isMet: @Sendable (AdapterState) -> Bool
    ) async throws -> Int {
        var index = index
        while true {
            let (state, hasEnded) = log.withLock { log in
                (index < log.states.count ? log.states[index] : nil, log.hasEnded)
            }
            if let state {
                index += 1
                if isMet(state) { return index }
            } else {
                try Task.checkCancellation()
                guard !hasEnded else { throw Ended() }
                await next(after: index)
            }
        }
    }

    private func next(after count: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isThere = log.withLock { log in
                    let isOver = log.states.count > count || log.hasEnded || Task.isCancelled
                    if !isOver { log.waiters.append(waiter) }
                    return isOver
                }
                if isThere { waiter.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }
}

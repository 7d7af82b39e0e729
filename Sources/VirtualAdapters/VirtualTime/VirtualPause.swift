// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import HCITransports

/// A task's wait for an instant of virtual time. Each value is used once.
final class VirtualPause: Sendable {
    private enum State {
        case notBegun
        case waiting(CheckedContinuation<Void, any Error>, any HostTimer)
        case over(Result<Void, any Error>)
    }

    private let executor: any HostExecutor
    private let end: Instant
    private let state = Lock(State.notBegun)

    init(executor: any HostExecutor, end: Instant) {
        self.executor = executor
        self.end = end
    }

    /// Waits until the instant.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin($0) }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func begin(_ waiter: CheckedContinuation<Void, any Error>) {
        let timer = executor.makeTimer { [self] in finish(.success(())) }
        let early: Result<Void, any Error>? = state.withLock { state in
            if case .over(let result) = state { return result }
            state = .waiting(waiter, timer)
            return nil
        }
        if let early { return waiter.resume(with: early) }
        // Timers must be set on the executor. The pause may be over before that.
        executor.perform { [self] in
            if isWaiting { timer.set(to: end) }
        }
    }

    private var isWaiting: Bool {
        state.withLock { if case .waiting = $0 { true } else { false } }
    }

    private func finish(_ result: Result<Void, any Error>) {
        let previous = state.withLock { state in
            let previous = state
            if case .over = state { return previous }
            state = .over(result)
            return previous
        }
        guard case .waiting(let waiter, let timer) = previous else { return }
        executor.perform { timer.set(to: nil) }
        // The task that waited may continue on another executor, so time does not advance until it
        // is resumed.
        executor.beginOutsideWork()
        waiter.resume(with: result)
        executor.endOutsideWork()
    }
}

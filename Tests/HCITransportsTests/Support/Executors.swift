// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import HCITransports

extension HostExecutor {
    /// Runs `body` on the executor and returns its result.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            perform { continuation.resume(returning: body()) }
        }
    }

    /// Waits for the end of a turn of the executor, after the work that was added for that end.
    func turnEnd() async {
        await withCheckedContinuation { continuation in
            perform { self.performAtTurnEnd { continuation.resume() } }
        }
    }
}

/// Runs a test on an executor of its own that is shut down afterward.
func withExecutor<Value>(
    _ body: (AdapterExecutor) async throws -> Value
) async rethrows -> Value {
    let executor = AdapterExecutor()
    defer { executor.shutDown() }
    return try await body(executor)
}

/// A value that is set once, and that tasks can await.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Mutex(State())

    func fulfil(_ value: Value) {
        let waiters = state.withLock { state in
            guard state.value == nil else { return [] as [CheckedContinuation<Value, Never>] }
            state.value = value
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if let value = state.value { return value }
                    state.waiters.append(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

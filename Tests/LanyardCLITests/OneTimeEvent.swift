// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import LanyardCLI

/// An event of a test that happens once and can be awaited.
final class OneTimeEvent: Sendable {
    private struct State {
        var isPast = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Reports that the event has happened.
    func occur() {
        let waiting = state.withLock { state in
            state.isPast = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns once the event has happened or the task is canceled, for example because the test
    /// has reached its time limit.
    func wait() async {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver = state.isPast || Task.isCancelled
                    if !isOver { state.waiting[number] = continuation }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}

extension TimeLimit {
    /// Runs the body with time limits that all pass when the event happens, whatever their length.
    static func passing<Value>(
        at event: OneTimeEvent,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $wait.withValue({ _ in await event.wait() }, operation: body)
    }
}

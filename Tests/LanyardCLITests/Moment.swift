// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import LanyardCLI

/// An event of a test that happens once and can be awaited.
final class Moment: Sendable {
    private struct State {
        var isPast = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Reports that the event has happened.
    func occur() {
        let waiting = state.withLock { state in
            state.isPast = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once the event has happened.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isPast = state.withLock { state in
                if !state.isPast { state.waiting.append(continuation) }
                return state.isPast
            }
            if isPast { continuation.resume() }
        }
    }
}

extension TimeLimit {
    /// Runs the body with limits of any length that pass when the event happens.
    static func passing<Value>(
        at moment: Moment,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $wait.withValue({ _ in await moment.wait() }, operation: body)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Waits for `body` until `limit` has passed or the caller is canceled. In these two cases, the
/// function cancels the task of `body` and throws an error, even if that task does not react to the
/// cancellation.
///
/// - Parameter what: The name of the awaited result in the error, such as "a value".
package func within<Value: Sendable>(
    _ limit: Duration,
    _ what: String,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try Task.checkCancellation()
    let first = FirstAnswer<Value>()
    let work = Task {
        do {
            first.give(.success(try await body()))
        } catch {
            first.give(.failure(error))
        }
    }
    let clock = Task {
        try await Task.sleep(for: limit)
        first.give(.failure(ProcessError.tooSlow("\(what) did not come")))
    }
    defer {
        work.cancel()
        clock.cancel()
    }
    return try await withTaskCancellationHandler {
        try await first.taken
    } onCancel: {
        first.give(.failure(CancellationError()))
    }
}

/// The first of several answers, for one waiting task.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case given(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    func give(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .given: return nil
            case .open:
                state = .given(result)
                return nil
            case .awaited(let continuation):
                state = .given(result)
                return continuation
            }
        }
        waiting?.resume(with: result)
    }

    var taken: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let given = state.withLock { state -> Result<Value, any Error>? in
                    if case .given(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(with: given) }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

/// Several pieces of work of which the first to end decides.
enum FirstResult {
    /// The result, or the error, of whichever of `bodies` ends first; the others are cancelled.
    ///
    /// Returns as soon as one has ended, and at the cancellation of the task, even if others do not
    /// heed their cancellation: a person who pressed Ctrl-C does not wait for them.
    static func of<Value: Sendable>(
        _ bodies: [@Sendable () async throws -> Value]
    ) async throws -> Value {
        let (ends, continuation) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
        let tasks = bodies.map { body in
            Task {
                do {
                    continuation.yield(.success(try await body()))
                } catch {
                    continuation.yield(.failure(error))
                }
            }
        }
        defer { for task in tasks { task.cancel() } }
        return try await withTaskCancellationHandler {
            for await end in ends { return try end.get() }
            throw CancellationError()
        } onCancel: {
            continuation.yield(.failure(CancellationError()))
        }
    }
}

/// Work that is given up after a time.
enum TimeLimit {
    /// The result of `body`, or nil if `limit` passes first, and again for as long as `isExcused`.
    static func run<Value: Sendable>(
        _ limit: Duration,
        isExcused: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await FirstResult.of([
            { try await body() },
            {
                repeat { try await Task.sleep(for: limit) } while isExcused()
                return nil
            },
        ])
    }
}

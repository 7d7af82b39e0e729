// SPDX-License-Identifier: Apache-2.0

/// How long each step of a command may go without an answer.
struct StepLimits: Equatable, Sendable {
    /// One request to the accessory or to the adapter: a peer that has vanished is noticed within
    /// five seconds.
    var step: Duration = .seconds(4)
    /// Finding the target, and connecting to it.
    var search: Duration = .seconds(10)

    init() {}

    /// The limits that a person asked for, or else the usual ones.
    init(seconds: Double?) {
        guard let seconds else { return }
        step = .seconds(seconds)
        search = .seconds(seconds)
    }

    /// Runs a step; throws a `CommandFailure` that names it if it fails or takes too long.
    func run<Result: Sendable>(
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await run(step, within: self.step, body)
    }

    /// Runs a step within a limit of its own.
    func run<Result: Sendable>(
        _ step: String,
        within limit: Duration,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            guard let result = try await TimeLimit.run(limit, body) else {
                throw CommandFailure.timedOut(step, after: limit)
            }
            return result
        } catch {
            throw CommandFailure(error, during: step)
        }
    }
}

/// Work that is given up after a time.
enum TimeLimit {
    /// The result of `body`, or nil if `limit` passes first.
    ///
    /// Returns at the limit, and at the cancellation of the task, even if `body` does not heed its
    /// own cancellation: a person who pressed Ctrl-C does not wait for it.
    static func run<Result: Sendable>(
        _ limit: Duration,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        typealias Outcome = Swift.Result<Result?, any Error>
        let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
        let work = Task {
            do {
                continuation.yield(.success(try await body()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            continuation.yield(.success(nil))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        return try await withTaskCancellationHandler {
            for await outcome in outcomes { return try outcome.get() }
            throw CancellationError()
        } onCancel: {
            continuation.yield(.failure(CancellationError()))
        }
    }
}

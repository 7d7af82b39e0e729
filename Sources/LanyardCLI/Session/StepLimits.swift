// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VirtualAdapters

/// The time limits of the steps of a command.
struct StepLimits: Equatable, Sendable {
    /// The limit of one request to the accessory or to the adapter.
    var step: Duration = .seconds(4)
    /// The limit for finding the target, by scanning for it or by connecting to its address.
    var search: Duration = .seconds(10)

    /// Whether a person has chosen the limits. In that case, opening an adapter and changing a link
    /// get no additional time.
    private var isChosen = false

    /// Whether no step has a limit.
    private var isUnlimited = false

    /// No limits.
    static var unlimited: StepLimits {
        var limits = StepLimits()
        limits.isUnlimited = true
        return limits
    }

    init() {}

    /// Creates limits of `seconds`, the value of `--timeout` or LANYARD_TIMEOUT; the defaults for
    /// `nil`.
    init(seconds: Double?) {
        guard let seconds else { return }
        isChosen = true
        step = .seconds(seconds)
        search = .seconds(seconds)
    }

    /// Returns the limit for opening an adapter, which the kernel may still be setting up.
    func opening(_ adapter: AdapterChoice) -> Duration {
        isChosen ? step : adapter.setUpLimit + step
    }

    /// The number of connection events allowed for a change of the link. The peer should receive at
    /// least six before the change (Vol 6, Part B, 5.1.1), and may miss some.
    private static let changeEvents = 8

    /// Returns the limit for changing the parameters or the physical layers of a link with this
    /// interval and latency.
    func changing(interval: Duration, latency: Int) -> Duration {
        isChosen ? step : step + interval * (latency + 1) * Self.changeEvents
    }

    /// Runs a step. Throws a `ProgramFailure` if it fails or takes longer than `self.step`.
    func run<Result: Sendable>(
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await run(step, within: self.step, body)
    }

    /// Runs a step within a limit, which starts again if `isExcused` is `true` when it passes.
    func run<Result: Sendable>(
        _ step: String,
        within limit: Duration,
        isExcused: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            if isUnlimited { return try await body() }
            guard let result = try await TimeLimit.run(limit, isExcused: isExcused, body) else {
                throw ProgramFailure.timedOut(step, after: limit)
            }
            return result
        } catch {
            throw ProgramFailure(error, during: step)
        }
    }
}

/// Concurrent operations, with the result of the first to end.
enum FirstResult {
    /// Returns the result or error of the first of `bodies` to end, and cancels the others.
    ///
    /// Returns as soon as a body has ended or the task is canceled, even if the other bodies ignore
    /// their cancellation, so that Ctrl-C takes effect at once.
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

/// An operation with a time limit.
enum TimeLimit {
    /// Waits until a limit passes. Tests replace this wait with a wait for an event, so that the
    /// load of the machine does not change the result.
    @TaskLocal static var wait: @Sendable (Duration) async throws -> Void = {
        try await Task.sleep(for: $0)
    }

    /// Returns the result of `body`, or `nil` if `limit` passes first. The limit starts again if
    /// `isExcused` is `true` when it passes.
    static func run<Value: Sendable>(
        _ limit: Duration,
        isExcused: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await FirstResult.of([
            { try await body() },
            {
                repeat { try await wait(limit) } while isExcused()
                return nil
            },
        ])
    }
}

/// A Boolean value that becomes `true` and stays `true` until it is reset, for any thread.
final class Latch: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() {
        state.withLock { $0 = true }
    }

    func reset() {
        state.withLock { $0 = false }
    }
}

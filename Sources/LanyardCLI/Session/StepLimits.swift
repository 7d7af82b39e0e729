// SPDX-License-Identifier: Apache-2.0

import VirtualAdapters

/// How long each step of a command may go without an answer.
struct StepLimits: Equatable, Sendable {
    /// One request to the accessory or to the adapter: a peer that has vanished is noticed within
    /// five seconds.
    var step: Duration = .seconds(4)
    /// Finding the target, by listening for it or by connecting to its address.
    var search: Duration = .seconds(10)

    /// Whether a person chose them: then no step has more.
    private var isChosen = false

    /// Whether nothing is limited: where time is virtual, whoever runs it sets an end.
    private var isUnlimited = false

    /// No limits.
    static var unlimited: StepLimits {
        var limits = StepLimits()
        limits.isUnlimited = true
        return limits
    }

    init() {}

    /// The limits that a person asked for, or else the usual ones.
    init(seconds: Double?) {
        guard let seconds else { return }
        isChosen = true
        step = .seconds(seconds)
        search = .seconds(seconds)
    }

    /// Opening an adapter, which may still be being set up.
    func opening(_ adapter: AdapterChoice) -> Duration {
        isChosen ? step : adapter.setUpLimit + step
    }

    /// Runs a step; throws a `ProgramFailure` that names it if it fails or takes too long.
    func run<Result: Sendable>(
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await run(step, within: self.step, body)
    }

    /// Runs a step within a limit of its own, which begins anew for as long as `isExcused`.
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

// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// The result of a scenario: it passes if the scenario ends and all of its expectations pass.
final class Verdict: Sendable {
    private enum State {
        case open, passed
        /// Whether every failure is excused.
        case failed(isExcused: Bool)
    }

    private let state = Mutex(State.open)
    private let isExcused: @Sendable () -> Bool

    /// Creates a verdict.
    ///
    /// - Parameter isExcused: Returns whether a failure at this moment is excused. An excused
    ///   failure is not recorded as an issue.
    init(isExcused: @escaping @Sendable () -> Bool = { false }) {
        self.isExcused = isExcused
    }

    /// Whether everything passed; `false` until the scenario has ended.
    var isPass: Bool { state.withLock { if case .passed = $0 { true } else { false } } }

    /// Whether the scenario failed, and every failure is excused.
    var isBlameless: Bool {
        state.withLock { if case .failed(isExcused: true) = $0 { true } else { false } }
    }

    /// Runs a body, and observes the issues that it records.
    func judge(_ body: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await watchIssues(of: body)
            state.withLock { if case .open = $0 { $0 = .passed } }
        } catch {
            fail(isExcused: isExcused())
            throw error
        }
    }

    private func watchIssues(of body: @escaping @Sendable () async throws -> Void) async throws {
        guard let test = Test.current else { return try await body() }
        let watching = IssueHandlingTrait.compactMapIssues { [self] issue in
            let isExcused = isExcused()
            fail(isExcused: isExcused)
            if isExcused { print("not recorded: \(issue)") }
            return isExcused ? nil : issue
        }
        try await watching.provideScope(for: test, testCase: Test.Case.current, performing: body)
    }

    private func fail(isExcused: Bool) {
        state.withLock { state in
            if case .failed(isExcused: false) = state { return }
            state = .failed(isExcused: isExcused)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// Whether a scenario came to its end, and no expectation of it failed on the way.
final class Verdict: Sendable {
    private enum State {
        case open, passed
        /// Whether all that failed is nobody's fault.
        case failed(isExcused: Bool)
    }

    private let state = Mutex(State.open)
    private let isExcused: @Sendable () -> Bool

    /// - Parameter isExcused: whether what fails now is nobody's fault, and is not to be recorded.
    init(isExcused: @escaping @Sendable () -> Bool = { false }) {
        self.isExcused = isExcused
    }

    /// Whether all was well; false as long as it is not over.
    var isPass: Bool { state.withLock { if case .passed = $0 { true } else { false } } }

    /// Whether it failed, and nobody is to blame for any of it.
    var isBlameless: Bool {
        state.withLock { if case .failed(isExcused: true) = $0 { true } else { false } }
    }

    /// Runs a body, and sees the issues that it records.
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

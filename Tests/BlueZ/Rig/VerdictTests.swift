// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// Failures in a scenario are noticed, so that the table does not show `ok`.
@Suite struct VerdictTests {
    private struct Failure: Error {}

    @Test func itPassesWhenNothingHappened() async throws {
        let verdict = Verdict()
        #expect(!verdict.isPass)
        try await verdict.judge {}
        #expect(verdict.isPass)
    }

    @Test func itFailsWithAnError() async {
        let verdict = Verdict()
        await #expect(throws: Failure.self) { try await verdict.judge { throw Failure() } }
        #expect(!verdict.isPass)
    }

    @Test func itFailsWithAnExpectation() async throws {
        let verdict = Verdict()
        await withKnownIssue {
            try await verdict.judge { Issue.record("on purpose") }
        }
        #expect(!verdict.isPass)
    }

    @Test func whatIsExcusedFailsButIsNotRecorded() async throws {
        let verdict = Verdict { true }
        try await verdict.judge { Issue.record("nobody's fault") }
        #expect(!verdict.isPass && verdict.isBlameless)
    }

    @Test func anExcuseThatComesLaterExcusesNothing() async throws {
        let faults = Atomic<Int>(0)
        let verdict = Verdict { faults.load(ordering: .relaxed) > 0 }
        await withKnownIssue {
            try await verdict.judge {
                Issue.record("on purpose")
                faults.add(1, ordering: .relaxed)
                Issue.record("nobody's fault")
            }
        }
        #expect(!verdict.isPass && !verdict.isBlameless)
    }
}

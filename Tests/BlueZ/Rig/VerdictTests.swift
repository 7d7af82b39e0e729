// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// Failures in a scenario are noticed, so that the table does not show `ok`.
@Suite struct VerdictTests {
    private struct Failure: Error {}

    @Test("A scenario without a failure passes")
    func pass() async throws {
        let verdict = Verdict()
        #expect(!verdict.isPass)
        try await verdict.judge {}
        #expect(verdict.isPass)
    }

    @Test("A scenario that throws an error fails")
    func thrownError() async {
        let verdict = Verdict()
        await #expect(throws: Failure.self) { try await verdict.judge { throw Failure() } }
        #expect(!verdict.isPass)
    }

    @Test("A scenario that records an issue fails")
    func recordedIssue() async throws {
        let verdict = Verdict()
        await withKnownIssue {
            try await verdict.judge { Issue.record("on purpose") }
        }
        #expect(!verdict.isPass)
    }

    @Test("An excused failure fails the scenario and is not recorded")
    func excusedFailure() async throws {
        let verdict = Verdict { true }
        try await verdict.judge { Issue.record("excused") }
        #expect(!verdict.isPass && verdict.isBlameless)
    }

    @Test("A later excuse does not excuse an earlier failure")
    func lateExcuse() async throws {
        let faults = Atomic<Int>(0)
        let verdict = Verdict { faults.load(ordering: .relaxed) > 0 }
        await withKnownIssue {
            try await verdict.judge {
                Issue.record("on purpose")
                faults.add(1, ordering: .relaxed)
                Issue.record("excused")
            }
        }
        #expect(!verdict.isPass && !verdict.isBlameless)
    }
}

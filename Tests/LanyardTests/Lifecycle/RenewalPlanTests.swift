// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

struct RenewalPlanTests {
    /// Returns the steps that this many refusals in a row lead to, with one refusal in each second.
    private func steps(
        _ plan: inout RenewalPlan,
        _ count: Int,
        from start: Int = 0
    ) -> [Int: Renewal] {
        var steps: [Int: Renewal] = [:]
        for number in 1...count {
            steps[number] = plan.refused(now: .seconds(start + number))
        }
        return steps
    }

    @Test("Each step of a renewal follows three refusals in a row")
    func escalation() {
        var plan = RenewalPlan()
        let steps = steps(&plan, 100)
        #expect(steps == [3: .subscription, 6: .discovery, 9: .link])
    }

    @Test("A pause follows the last step")
    func pauseAfterSteps() {
        var plan = RenewalPlan()
        let steps = steps(&plan, 700)
        #expect(
            steps == [
                3: .subscription, 6: .discovery, 9: .link,
                309: .subscription, 312: .discovery, 315: .link,
                615: .subscription, 618: .discovery, 621: .link,
            ]
        )
    }

    @Test(
        "An error that applies to all messages counts toward a renewal",
        arguments: [0x01, 0x03, 0x05, 0x08, 0x0A, 0x0C, 0x0E, 0x0F, 0x12]
    )
    func generalErrors(code: Int) {
        let error = AccessoryError.refused(code: code, text: "no")
        let failure = LinkFailure(refusalOfAllMessages: error)
        let needsPairing = [0x05, 0x08, 0x0C, 0x0F].contains(code)
        #expect(failure?.kind == (needsPairing ? .notPaired : .refused))
        #expect(failure?.code == .attribute(code))
    }

    @Test(
        "An error about a single message does not count toward a renewal",
        arguments: [
            .refused(code: 0x80, text: "of the application"),
            .refused(code: 0x0D, text: "the length of a value"),
            .refused(code: 0x11, text: "resources"), .refused(code: nil, text: "no code"),
            .linkEnded, .requestTimedOut(after: .seconds(1)), .notPermitted("2A37"),
        ] as [AccessoryError]
    )
    func messageErrors(error: AccessoryError) {
        #expect(LinkFailure(refusalOfAllMessages: error) == nil)
    }
}

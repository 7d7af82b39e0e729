// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Learned connection limits")
struct LearnedLimitTests {
    /// Returns a pool with three links, after a fourth was refused.
    private func crowded() -> PoolHarness {
        var harness = PoolHarness(limit: .learned, policy: .firstCome)
        harness.link("a", "b", "c")
        #expect(harness.reserve("d") == ["grant d"])
        #expect(harness.fail("d") == [])
        return harness
    }

    @Test("The limit is learned from the first refusal")
    func learned() {
        var harness = crowded()
        #expect(harness.limit == 3)
        #expect(harness.holders == ["a", "b", "c"])
        #expect(harness.reserve("d") == ["d waits: 3 of 3"])
        #expect(harness.wait(200) == [])
        #expect(harness.release("b") == ["grant d"])
    }

    @Test("The learned limit does not include running connection attempts")
    func besideConnecting() {
        var harness = PoolHarness(limit: .learned)
        harness.link("a")
        #expect(harness.reserve("b") == ["grant b"])
        #expect(harness.reserve("c") == ["grant c"])
        #expect(harness.fail("c") == [])
        #expect(harness.limit == 1)
        harness.linked("b")
        #expect(harness.limit == 2)
    }

    @Test("After five minutes, one more link is tried, and its success raises the limit")
    func grows() {
        var harness = crowded()
        _ = harness.reserve("d")
        #expect(harness.wait(299) == [])
        #expect(harness.wait(1) == ["grant d"])
        harness.linked("d")
        #expect(harness.limit == 4)
    }

    @Test("A refused trial is repeated after twice the time, at most an hour")
    func trialInterval() {
        var harness = crowded()
        var whiles: [Int] = []
        for _ in 0..<6 {
            let start = harness.now
            _ = harness.reserve("d")
            while harness.holders.count == 3 { _ = harness.wait(10) }
            whiles.append(Int((harness.now - start) / .seconds(1)))
            _ = harness.fail("d")
            #expect(harness.limit == 3)
        }
        #expect(whiles == [300, 600, 1200, 2400, 3600, 3600])
    }

    @Test("Links that come and go do not postpone the trial")
    func churn() {
        var harness = crowded()
        _ = harness.reserve("d")
        for _ in 0..<29 {
            _ = harness.wait(10)
            _ = harness.release("c")
            harness.linked("d")
            _ = harness.reserve("c")
            _ = harness.release("d")
            harness.linked("c")
            _ = harness.reserve("d")
        }
        #expect(harness.limit == 3)
        #expect(harness.wait(10) == ["grant d"])
        #expect(harness.limit == 4)
    }

    @Test("If other programs hold all links, an attempt follows after four seconds")
    func othersHaveAll() {
        var harness = PoolHarness(limit: .learned)
        #expect(harness.reserve("a") == ["grant a"])
        #expect(harness.fail("a") == [])
        #expect(harness.limit == 1)
        #expect(harness.reserve("a") == ["a waits: 0 of 1"])
        #expect(harness.wait(3) == [])
        #expect(harness.wait(1) == ["grant a"])
    }

    @Test("The end of a link permits an attempt at once")
    func pauseEnds() {
        var harness = crowded()
        _ = harness.reserve("d")
        #expect(harness.release("a") == ["grant d"])
    }

    @Test("A completed pending connection request raises the learned limit")
    func reached() {
        var harness = crowded()
        #expect(harness.claim("d") == ["grant d"])
        #expect(harness.limit == 4)
    }

    @Test("A completed pending connection request does not count running connection attempts")
    func reachedBesideConnecting() {
        var harness = PoolHarness(limit: .learned, policy: .firstCome)
        harness.link("a", "b", "c")
        _ = harness.reserve("d")
        _ = harness.fail("d")
        _ = harness.release("b")
        #expect(harness.reserve("e") == ["grant e"])
        #expect(harness.claim("f") == ["grant f"])
        #expect(harness.limit == 3)
        harness.linked("e")
        #expect(harness.limit == 4)
    }

    @Test("A limit below the configured one is learned as well")
    func fewerThanSet() {
        var harness = PoolHarness(limit: .fixed(3), policy: .firstCome)
        harness.link("a", "b")
        _ = harness.reserve("c")
        _ = harness.fail("c")
        #expect(harness.limit == 2)
        _ = harness.reserve("c")
        #expect(harness.wait(300) == ["grant c"])
        harness.linked("c")
        #expect(harness.limit == 3)
        _ = harness.reserve("d")
        #expect(harness.wait(4000) == [])
    }

    @Test("The limit is at least one")
    func atLeastOne() {
        var harness = PoolHarness(limit: .fixed(0))
        harness.link("a")
        #expect(harness.limit == 1)
    }
}

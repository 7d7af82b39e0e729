// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Lanyard

@Suite("Learned connection limits")
struct LearnedLimitTests {
    /// Returns a pool with three links, after a fourth was refused.
    private func crowded() -> PoolStory {
        var story = PoolStory(limit: .learned, policy: .firstCome)
        story.link("a", "b", "c")
        #expect(story.reserve("d") == ["grant d"])
        #expect(story.fail("d") == [])
        return story
    }

    @Test("The limit is learned from the first refusal")
    func learned() {
        var story = crowded()
        #expect(story.limit == 3)
        #expect(story.holders == ["a", "b", "c"])
        #expect(story.reserve("d") == ["d waits: 3 of 3"])
        #expect(story.wait(200) == [])
        #expect(story.release("b") == ["grant d"])
    }

    @Test("The learned limit does not include running connection attempts")
    func besideConnecting() {
        var story = PoolStory(limit: .learned)
        story.link("a")
        #expect(story.reserve("b") == ["grant b"])
        #expect(story.reserve("c") == ["grant c"])
        #expect(story.fail("c") == [])
        #expect(story.limit == 1)
        story.linked("b")
        #expect(story.limit == 2)
    }

    @Test("After a while, one more link is tried, and a success is kept")
    func grows() {
        var story = crowded()
        _ = story.reserve("d")
        #expect(story.wait(299) == [])
        #expect(story.wait(1) == ["grant d"])
        story.linked("d")
        #expect(story.limit == 4)
    }

    @Test("A refused trial is repeated after twice the time, at most an hour")
    func trust() {
        var story = crowded()
        var whiles: [Int] = []
        for _ in 0..<6 {
            let start = story.now
            _ = story.reserve("d")
            while story.holders.count == 3 { _ = story.wait(10) }
            whiles.append(Int((story.now - start) / .seconds(1)))
            _ = story.fail("d")
            #expect(story.limit == 3)
        }
        #expect(whiles == [300, 600, 1200, 2400, 3600, 3600])
    }

    @Test("Links that come and go do not postpone the trial")
    func churn() {
        var story = crowded()
        _ = story.reserve("d")
        for _ in 0..<29 {
            _ = story.wait(10)
            _ = story.release("c")
            story.linked("d")
            _ = story.reserve("c")
            _ = story.release("d")
            story.linked("c")
            _ = story.reserve("d")
        }
        #expect(story.limit == 3)
        #expect(story.wait(10) == ["grant d"])
        #expect(story.limit == 4)
    }

    @Test("If other programs hold all links, an attempt follows after four seconds")
    func othersHaveAll() {
        var story = PoolStory(limit: .learned)
        #expect(story.reserve("a") == ["grant a"])
        #expect(story.fail("a") == [])
        #expect(story.limit == 1)
        #expect(story.reserve("a") == ["a waits: 0 of 1"])
        #expect(story.wait(3) == [])
        #expect(story.wait(1) == ["grant a"])
    }

    @Test("The end of a link permits an attempt at once")
    func pauseEnds() {
        var story = crowded()
        _ = story.reserve("d")
        #expect(story.release("a") == ["grant d"])
    }

    @Test("A completed pending connection request proves that there is room")
    func proved() {
        var story = crowded()
        #expect(story.claim("d") == ["grant d"])
        #expect(story.limit == 4)
    }

    @Test("A limit below the configured one is learned as well")
    func fewerThanSet() {
        var story = PoolStory(limit: .fixed(3), policy: .firstCome)
        story.link("a", "b")
        _ = story.reserve("c")
        _ = story.fail("c")
        #expect(story.limit == 2)
        _ = story.reserve("c")
        #expect(story.wait(300) == ["grant c"])
        story.linked("c")
        #expect(story.limit == 3)
        _ = story.reserve("d")
        #expect(story.wait(4000) == [])
    }

    @Test("The limit is at least one")
    func atLeastOne() {
        var story = PoolStory(limit: .fixed(0))
        story.link("a")
        #expect(story.limit == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Which link makes room")
struct ConnectionPolicyTests {
    private func holder(
        _ name: String,
        _ priority: Int = 0,
        silence: Int = 0,
        signal: Int? = nil
    ) -> ConnectionHolder {
        ConnectionHolder(
            identity: PoolStory.identity(name),
            priority: priority,
            silence: .seconds(silence),
            signal: signal
        )
    }

    private func victim(_ priority: Int, _ links: ConnectionHolder...) -> String? {
        let request = ConnectionRequest(identity: PoolStory.identity("new"), priority: priority)
        return StandardConnectionPolicy().linkToEnd(for: request, among: links)
            .map { PoolStory.name($0) }
    }

    @Test("Greater priority takes the place of less, the least first")
    func priority() {
        #expect(victim(2, holder("a", 1), holder("b", 0), holder("c", 2)) == "b")
        #expect(victim(0, holder("a", 0), holder("b", 1)) == nil)
        #expect(victim(-1, holder("a", 0, silence: 900)) == nil)
    }

    @Test("Among equals who is silent for a minute makes room, who is longest first")
    func silence() {
        #expect(victim(0, holder("a", silence: 59), holder("b", silence: 2)) == nil)
        #expect(victim(0, holder("a", silence: 60), holder("b", silence: 61)) == "b")
    }

    @Test("Of those who are silent for equally long the weakest makes room")
    func signal() {
        #expect(victim(1, holder("a", signal: -60), holder("b", signal: -80)) == "b")
        #expect(victim(1, holder("a", signal: -60), holder("b")) == "b")
    }

    @Test("Who comes first stays, if that is the policy")
    func firstCome() {
        var story = PoolStory(limit: .fixed(1), policy: .firstCome)
        story.link("a")
        #expect(story.reserve("b", 9) == ["b waits: 1 of 1"])
        #expect(story.wait(3600) == [])
    }

    // MARK: In the pool

    @Test("One link is ended for each who waits, and not twice")
    func onePerWaiter() {
        var story = PoolStory(limit: .fixed(3))
        story.link("a", "b", "c")
        #expect(story.reserve("x", 1) == ["evict a for x", "x waits: 3 of 3"])
        #expect(story.wait(60) == [])
        #expect(story.reserve("y", 1) == ["evict b for y", "y waits: 3 of 3"])
        #expect(story.release("a") == ["grant x"])
        #expect(story.release("b") == ["grant y"])
        #expect(story.holders == ["c", "x", "y"])
    }

    @Test("No link is ended where one is ending anyway")
    func endingAnyway() throws {
        var story = PoolStory(limit: .fixed(2))
        story.link("a", "b")
        _ = story.pool.ending(try #require(story.pool.token(of: PoolStory.identity("a"))))
        #expect(story.reserve("x", 1) == ["x waits: 2 of 2"])
        #expect(story.reserve("y", 1) == ["evict b for y", "y waits: 2 of 2"])
    }

    @Test("A link that was to make room for one who went away makes room for the next")
    func withdrawnAfterEviction() {
        var story = PoolStory(limit: .fixed(2))
        story.link("a", "b")
        #expect(story.reserve("x", 1).first == "evict a for x")
        #expect(story.withdraw("x") == [])
        #expect(story.reserve("y", 1) == ["y waits: 2 of 2"])
        #expect(story.release("a") == ["grant y"])
    }

    @Test("A link that falls silent while somebody waits is found")
    func fallsSilent() {
        var story = PoolStory(limit: .fixed(2))
        story.link("a", "b")
        #expect(story.reserve("c") == ["c waits: 2 of 2"])
        for _ in 0..<5 {
            #expect(story.wait(10) == [])
            if let token = story.tokens[PoolStory.identity("a")] {
                story.pool.heard(token, now: story.now)
            }
        }
        #expect(story.wait(10) == ["evict b for c"])
    }

    @Test("A link that is being dialled is never ended for another")
    func diallingStays() {
        var story = PoolStory(limit: .fixed(1))
        #expect(story.reserve("a") == ["grant a"])
        #expect(story.reserve("b", 9) == ["b waits: 1 of 1"])
        story.linked("a")
        #expect(story.wait(10) == ["evict a for b"])
    }

    @Test("An application's own policy is asked with all that is known, and obeyed")
    func ownPolicy() {
        struct WeakestFirst: ConnectionPolicy {
            func linkToEnd(
                for request: ConnectionRequest,
                among links: [ConnectionHolder]
            ) -> AccessoryIdentity? {
                links.min { ($0.signal ?? 0) < ($1.signal ?? 0) }?.identity
            }
        }
        var story = PoolStory(limit: .fixed(2), policy: WeakestFirst())
        story.link("a", "b")
        for (name, signal) in [("a", -50), ("b", -90)] {
            guard let token = story.tokens[PoolStory.identity(name)] else { continue }
            story.pool.measured(token, signal: signal)
        }
        #expect(story.reserve("c").first == "evict b for c")
    }

    @Test("A policy that names somebody who has no link is not obeyed")
    func nonsense() {
        struct Nonsense: ConnectionPolicy {
            func linkToEnd(
                for request: ConnectionRequest,
                among links: [ConnectionHolder]
            ) -> AccessoryIdentity? { request.identity }
        }
        var story = PoolStory(limit: .fixed(1), policy: Nonsense())
        story.link("a")
        #expect(story.reserve("b") == ["b waits: 1 of 1"])
        #expect(story.wait(600) == [])
        #expect(story.holders == ["a"])
    }
}

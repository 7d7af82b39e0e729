// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// A pool whose actions are performed at once. Only links end later, with `release(_:)`.
struct PoolStory {
    var pool: LinkPool
    var now = Duration.zero
    private(set) var tokens: [AccessoryIdentity: SlotToken] = [:]
    /// Whether the latest action for each waiting accessory promised it a slot.
    private(set) var promised: [String: Bool] = [:]
    /// The number of times that the pool reported a change of its slots.
    private(set) var changeCount = 0

    init(limit: ConnectionLimit, policy: any ConnectionPolicy = .standard) {
        pool = LinkPool(limit: limit, policy: policy)
    }

    static func identity(_ name: String) -> AccessoryIdentity {
        .manufacturer(company: 0xFFFF, identifier: Data(name.utf8))
    }

    static func name(_ identity: AccessoryIdentity) -> String {
        guard case .manufacturer(_, let name) = identity else { return "?" }
        return String(decoding: name, as: UTF8.self)
    }

    /// Performs the actions of the pool and describes them.
    mutating func follow(_ actions: [LinkPoolAction]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .grant(let token, let identity):
                tokens[identity] = token
                return "grant \(Self.name(identity))"
            case .evict(let token, let holder, let beneficiary):
                #expect(tokens[holder] == token)
                return "evict \(Self.name(holder)) for \(Self.name(beneficiary))"
            case .wait(let identity, let slots):
                promised[Self.name(identity)] = slots.isMakingRoom
                return "\(Self.name(identity)) waits: \(slots.holders.count) of \(slots.limit)"
            case .keepWaiting(let identity): return "\(Self.name(identity)) keeps its link"
            case .turnAway(let identity, _): return "turn away \(Self.name(identity))"
            case .changed:
                changeCount += 1
                return nil
            }
        }
    }

    /// Requests a slot for an accessory that was just seen.
    mutating func reserve(_ name: String, _ priority: Int = 0) -> [String] {
        reserve(name, priority, lastSeen: now)
    }

    mutating func reserve(
        _ name: String,
        _ priority: Int = 0,
        isPairing: Bool = false,
        lastSeen: Duration?
    ) -> [String] {
        follow(
            pool.reserve(
                Self.identity(name),
                priority: priority,
                isPairing: isPairing,
                lastSeen: lastSeen,
                now: now
            )
        )
    }

    /// Requests a slot for the first pairing of an accessory that was just seen.
    mutating func reservePairing(_ name: String, _ priority: Int = 0) -> [String] {
        reserve(name, priority, isPairing: true, lastSeen: now)
    }

    /// Records that the first pairing of an accessory has succeeded.
    mutating func paired(_ name: String) {
        guard let token = tokens[Self.identity(name)] else { return }
        _ = pool.paired(token)
    }

    mutating func see(_ name: String) -> [String] {
        follow(pool.seen(Self.identity(name), now: now))
    }

    func isSearching(for name: String) -> Bool {
        pool.isSearching(for: Self.identity(name))
    }

    mutating func claim(_ name: String, _ priority: Int = 0) -> [String] {
        follow(pool.claim(Self.identity(name), priority: priority, now: now))
    }

    mutating func withdraw(_ name: String) -> [String] {
        follow(pool.withdraw(Self.identity(name), now: now))
    }

    mutating func linked(_ name: String) {
        guard let token = tokens[Self.identity(name)] else { return }
        _ = pool.linkMade(token, now: now)
    }

    /// Reserves slots and makes the links. The pool must grant each slot at once.
    mutating func link(_ names: String...) {
        for name in names {
            #expect(reserve(name) == ["grant \(name)"])
            linked(name)
        }
    }

    mutating func release(_ name: String) -> [String] {
        guard let token = tokens[Self.identity(name)] else { return ["no token"] }
        return follow(pool.release(token, now: now))
    }

    mutating func fail(_ name: String) -> [String] {
        guard let token = tokens[Self.identity(name)] else { return ["no token"] }
        return follow(pool.capacityFailed(token, now: now))
    }

    mutating func wait(_ seconds: Int) -> [String] {
        let end = now + .seconds(seconds)
        var events: [String] = []
        while let deadline = pool.nextDeadline, deadline <= end {
            now = max(now, deadline)
            events += follow(pool.deadlinePassed(now: now))
        }
        now = end
        return events
    }

    var holders: [String] { pool.state(now: now).holders.map { Self.name($0.identity) } }
    var waiting: [String] { pool.state(now: now).waiting.map { Self.name($0.identity) } }
    var limit: Int? { pool.state(now: now).limit }
}

@Suite("Connection pool")
struct LinkPoolTests {
    @Test("Without a limit, each accessory gets a slot at once")
    func unlimited() {
        var story = PoolStory(limit: .learned)
        for number in 0..<40 { story.link("\(number)") }
        #expect(story.holders.count == 40)
        #expect(story.limit == nil)
        #expect(story.pool.nextDeadline == nil)
    }

    @Test("If all slots are in use, an accessory waits and is informed which accessories hold them")
    func waits() {
        var story = PoolStory(limit: .fixed(2))
        story.link("a", "b")
        #expect(story.reserve("c") == ["c waits: 2 of 2"])
        #expect(story.reserve("c") == [])
        #expect(story.waiting == ["c"])
        #expect(story.release("a") == ["grant c"])
        #expect(story.holders == ["b", "c"])
    }

    @Test("A slot is free when its link has ended, not when its end is requested")
    func ending() throws {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        let token = try #require(story.pool.token(of: PoolStory.identity("a")))
        #expect(story.pool.ending(token) == [.changed])
        #expect(story.pool.ending(token) == [])
        #expect(story.reserve("b") == ["b waits: 1 of 1"])
        #expect(story.reserve("a") == ["a waits: 1 of 1"])
        #expect(story.release("a") == ["grant b"])
        #expect(story.waiting == ["a"])
    }

    @Test("A slot that becomes free is promised to one accessory, and not to the next one")
    func promise() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        #expect(story.reserve("b", 1) == ["evict a for b", "b waits: 1 of 1"])
        #expect(story.reserve("c") == ["c waits: 1 of 1"])
        #expect(story.promised == ["b": true, "c": false])
    }

    @Test("An accessory is informed if its promised slot goes to another one")
    func brokenPromise() throws {
        var story = PoolStory(limit: .fixed(1), policy: .firstCome)
        story.link("a")
        let token = try #require(story.pool.token(of: PoolStory.identity("a")))
        _ = story.pool.ending(token)
        #expect(story.reserve("b") == ["b waits: 1 of 1"])
        #expect(story.promised == ["b": true])
        #expect(story.reserve("c", 5) == ["b waits: 1 of 1", "c waits: 1 of 1"])
        #expect(story.promised == ["b": false, "c": true])
        #expect(story.release("a") == ["grant c"])
    }

    @Test("Releasing a slot twice frees one slot")
    func idempotent() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        #expect(story.reserve("b").count == 1)
        #expect(story.reserve("c").count == 1)
        #expect(story.release("a") == ["grant b"])
        #expect(story.release("a") == [])
        #expect(story.fail("a") == [])
        #expect(story.holders == ["b"])
        #expect(story.waiting == ["c"])
    }

    @Test("An accessory with a slot that requests one keeps it")
    func reserveTwice() throws {
        var story = PoolStory(limit: .fixed(1))
        #expect(story.reserve("a") == ["grant a"])
        let token = try #require(story.tokens[PoolStory.identity("a")])
        #expect(story.reserve("a") == ["grant a"])
        #expect(story.tokens[PoolStory.identity("a")] == token)
        #expect(story.holders == ["a"])
    }

    @Test("Greater priorities are served first, then earlier requests")
    func priorities() {
        var story = PoolStory(limit: .fixed(1), policy: .firstCome)
        story.link("x")
        for (name, priority) in [("a", 0), ("b", 2), ("c", 1), ("d", 2)] {
            #expect(story.reserve(name, priority).count == 1)
        }
        #expect(story.waiting == ["b", "d", "c", "a"])
        #expect(story.reserve("a", 3) == [])
        #expect(story.waiting == ["a", "b", "d", "c"])
    }

    @Test("Waiting raises the priority, so every accessory is served")
    func aging() {
        var story = PoolStory(limit: .fixed(1), policy: .firstCome)
        story.link("0")
        #expect(story.reserve("low", 0).count == 1)
        var turns = 0
        while story.holders != ["low"], turns < 100 {
            turns += 1
            #expect(story.reserve("\(turns)", 5).count == 1)
            _ = story.wait(10)
            _ = story.release("\(turns - 1)")
        }
        #expect(turns == 15)
    }

    @Test("A withdrawn request gets no slot")
    func withdrawn() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        _ = story.reserve("b")
        _ = story.reserve("c")
        #expect(story.withdraw("b") == [])
        #expect(story.withdraw("b") == [])
        #expect(story.release("a") == ["grant c"])
    }

    @Test("A reset removes all slots and requests")
    func reset() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        _ = story.reserve("b")
        _ = story.pool.reset()
        #expect(story.release("a") == [])
        #expect(story.holders.isEmpty && story.waiting.isEmpty)
        #expect(story.pool.nextDeadline == nil)
        story.link("c")
    }

    @Test("Two identities of one accessory hold one slot")
    func merged() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        _ = story.reserve("b")
        _ = story.reserve("c")
        story.pool.merge(PoolStory.identity("b"), into: PoolStory.identity("a"))
        #expect(story.waiting == ["c"])
        story.pool.merge(PoolStory.identity("c"), into: PoolStory.identity("d"))
        #expect(story.waiting == ["d"])
        story.pool.merge(PoolStory.identity("a"), into: PoolStory.identity("e"))
        #expect(story.holders == ["e"])
        #expect(story.release("a") == ["grant d"])
    }

    // MARK: Pending connection requests

    @Test("A completed pending connection request claims a slot")
    func claim() {
        var story = PoolStory(limit: .fixed(2))
        story.link("a")
        #expect(story.claim("b") == ["grant b"])
        #expect(story.holders == ["a", "b"])
        #expect(story.claim("b") == ["grant b"])
        #expect(story.holders == ["a", "b"])
    }

    @Test("Without a free slot, a completed connection request is turned away, and waits")
    func denied() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        #expect(story.claim("b") == ["turn away b"])
        #expect(story.waiting == ["b"])
        #expect(story.release("a") == ["grant b"])
    }

    @Test("An accessory with a promised slot keeps its link, and precedes all others")
    func keepsWaiting() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        _ = story.reserve("b", 0)
        #expect(story.claim("c", 1) == ["evict a for c", "c keeps its link"])
        _ = story.reserve("d", 9)
        #expect(story.release("a") == ["grant c", "evict c for d"])
        #expect(story.waiting == ["d", "b"])
    }

    @Test("A claim replaces the request for a connection attempt")
    func claimWhileWaiting() {
        var story = PoolStory(limit: .fixed(1))
        story.link("a")
        _ = story.reserve("b")
        _ = story.release("a")
        let changeCount = story.changeCount
        #expect(story.claim("b") == ["grant b"])
        #expect(story.holders == ["b"])
        #expect(story.waiting == [])
        #expect(story.changeCount == changeCount + 1)
    }
}

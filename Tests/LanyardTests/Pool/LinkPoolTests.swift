// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

/// A pool whose actions are performed at once. Only links end later, with `release(_:)`.
struct PoolHarness {
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
        pool.searched.contains(Self.identity(name))
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
        var harness = PoolHarness(limit: .learned)
        for number in 0..<40 { harness.link("\(number)") }
        #expect(harness.holders.count == 40)
        #expect(harness.limit == nil)
        #expect(harness.pool.nextDeadline == nil)
    }

    @Test("If all slots are in use, an accessory waits and is informed of their number")
    func waits() {
        var harness = PoolHarness(limit: .fixed(2))
        harness.link("a", "b")
        #expect(harness.reserve("c") == ["c waits: 2 of 2"])
        #expect(harness.reserve("c") == [])
        #expect(harness.waiting == ["c"])
        #expect(harness.release("a") == ["grant c"])
        #expect(harness.holders == ["b", "c"])
    }

    @Test("A slot is free when its link has ended, not when its end is requested")
    func ending() throws {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        let token = try #require(harness.pool.token(of: PoolHarness.identity("a")))
        #expect(harness.pool.ending(token) == [.changed])
        #expect(harness.pool.ending(token) == [])
        #expect(harness.reserve("b") == ["b waits: 1 of 1"])
        #expect(harness.reserve("a") == ["a waits: 1 of 1"])
        #expect(harness.release("a") == ["grant b"])
        #expect(harness.waiting == ["a"])
    }

    @Test("A slot that becomes free is promised to one accessory, and not to the next one")
    func promise() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reserve("b", 1) == ["evict a for b", "b waits: 1 of 1"])
        #expect(harness.reserve("c") == ["c waits: 1 of 1"])
        #expect(harness.promised == ["b": true, "c": false])
    }

    @Test("No link is ended for an accessory that gets the slot of a link that the app ends")
    func slotOfTheApp() throws {
        var harness = PoolHarness(limit: .fixed(3))
        harness.link("a", "b", "c")
        #expect(harness.reserve("x", 1).first == "evict a for x")
        let token = try #require(harness.pool.token(of: PoolHarness.identity("b")))
        #expect(harness.pool.ending(token) == [.changed])
        #expect(harness.reserve("y", 1) == ["y waits: 3 of 3"])
        #expect(harness.promised == ["x": true, "y": true])
        #expect(harness.release("b") == ["grant x"])
        #expect(harness.release("a") == ["grant y"])
    }

    @Test("An accessory is informed if its promised slot goes to another accessory")
    func brokenPromise() throws {
        var harness = PoolHarness(limit: .fixed(1), policy: .firstCome)
        harness.link("a")
        let token = try #require(harness.pool.token(of: PoolHarness.identity("a")))
        _ = harness.pool.ending(token)
        #expect(harness.reserve("b") == ["b waits: 1 of 1"])
        #expect(harness.promised == ["b": true])
        #expect(harness.reserve("c", 5) == ["b waits: 1 of 1", "c waits: 1 of 1"])
        #expect(harness.promised == ["b": false, "c": true])
        #expect(harness.release("a") == ["grant c"])
    }

    @Test("Releasing a slot twice frees one slot")
    func idempotent() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reserve("b").count == 1)
        #expect(harness.reserve("c").count == 1)
        #expect(harness.release("a") == ["grant b"])
        #expect(harness.release("a") == [])
        #expect(harness.fail("a") == [])
        #expect(harness.holders == ["b"])
        #expect(harness.waiting == ["c"])
    }

    @Test("An accessory that requests a slot again keeps the slot that it has")
    func reserveTwice() throws {
        var harness = PoolHarness(limit: .fixed(1))
        #expect(harness.reserve("a") == ["grant a"])
        let token = try #require(harness.tokens[PoolHarness.identity("a")])
        #expect(harness.reserve("a") == ["grant a"])
        #expect(harness.tokens[PoolHarness.identity("a")] == token)
        #expect(harness.holders == ["a"])
    }

    @Test("Greater priorities are served first, then earlier requests")
    func priorities() {
        var harness = PoolHarness(limit: .fixed(1), policy: .firstCome)
        harness.link("x")
        for (name, priority) in [("a", 0), ("b", 2), ("c", 1), ("d", 2)] {
            #expect(harness.reserve(name, priority).count == 1)
        }
        #expect(harness.waiting == ["b", "d", "c", "a"])
        #expect(harness.reserve("a", 3) == [])
        #expect(harness.waiting == ["a", "b", "d", "c"])
    }

    @Test("Waiting raises the priority, so every accessory is served")
    func aging() {
        var harness = PoolHarness(limit: .fixed(1), policy: .firstCome)
        harness.link("0")
        #expect(harness.reserve("low", 0).count == 1)
        var turns = 0
        while harness.holders != ["low"], turns < 100 {
            turns += 1
            #expect(harness.reserve("\(turns)", 5).count == 1)
            _ = harness.wait(10)
            _ = harness.release("\(turns - 1)")
        }
        #expect(turns == 15)
    }

    @Test("A withdrawn request gets no slot")
    func withdrawn() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        _ = harness.reserve("b")
        _ = harness.reserve("c")
        #expect(harness.withdraw("b") == [])
        #expect(harness.withdraw("b") == [])
        #expect(harness.release("a") == ["grant c"])
    }

    @Test("A reset removes all slots and requests")
    func reset() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        _ = harness.reserve("b")
        _ = harness.pool.reset()
        #expect(harness.release("a") == [])
        #expect(harness.holders.isEmpty && harness.waiting.isEmpty)
        #expect(harness.pool.nextDeadline == nil)
        harness.link("c")
    }

    @Test("A merge of identities removes a second request, and moves a request or slot")
    func merged() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        _ = harness.reserve("b")
        _ = harness.reserve("c")
        harness.pool.merge(PoolHarness.identity("b"), into: PoolHarness.identity("a"))
        #expect(harness.waiting == ["c"])
        harness.pool.merge(PoolHarness.identity("c"), into: PoolHarness.identity("d"))
        #expect(harness.waiting == ["d"])
        harness.pool.merge(PoolHarness.identity("a"), into: PoolHarness.identity("e"))
        #expect(harness.holders == ["e"])
        #expect(harness.release("a") == ["grant d"])
    }

    @Test("An accessory for which a link is being ended keeps that promise after a merge")
    func mergedBeneficiary() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reserve("b", 1).contains("evict a for b"))
        harness.pool.merge(PoolHarness.identity("b"), into: PoolHarness.identity("c"))
        #expect(harness.claim("c") == ["c keeps its link"])
    }

    // MARK: Pending connection requests

    @Test("A completed pending connection request claims a slot")
    func claim() {
        var harness = PoolHarness(limit: .fixed(2))
        harness.link("a")
        #expect(harness.claim("b") == ["grant b"])
        #expect(harness.holders == ["a", "b"])
        #expect(harness.claim("b") == ["grant b"])
        #expect(harness.holders == ["a", "b"])
    }

    @Test("Without a free slot, a completed connection request is turned away, and waits")
    func denied() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.claim("b") == ["turn away b"])
        #expect(harness.waiting == ["b"])
        #expect(harness.release("a") == ["grant b"])
    }

    @Test("An accessory with a promised slot keeps its link, and precedes all others")
    func keepsWaiting() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        _ = harness.reserve("b", 0)
        #expect(harness.claim("c", 1) == ["evict a for c", "c keeps its link"])
        _ = harness.reserve("d", 9)
        #expect(harness.release("a") == ["grant c", "evict c for d"])
        #expect(harness.waiting == ["d", "b"])
    }

    @Test("A claim replaces the request for a connection attempt")
    func claimWhileWaiting() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        _ = harness.reserve("b")
        _ = harness.release("a")
        let changeCount = harness.changeCount
        #expect(harness.claim("b") == ["grant b"])
        #expect(harness.holders == ["b"])
        #expect(harness.waiting == [])
        #expect(harness.changeCount == changeCount + 1)
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import Lanyard

@Suite("Random links in the pool")
struct LinkPoolWalkTests {
    @Test(
        "No slot leaks, no slot is granted twice, and every accessory is served",
        arguments: RunSeed.seeds(6),
        [ConnectionLimit.learned, .fixed(3)]
    )
    func walk(seed: UInt64, limit: ConnectionLimit) {
        var generator = SplitMix64(seed: seed)
        var walk = PoolWalk(limit: limit, controllerLimit: Int(seed) % 5 + 1)
        for _ in 0..<5000 { walk.step(using: &generator) }
        walk.endFaults()
        #expect(walk.violation == nil)
        #expect(walk.grantCount > 50)
    }
}

/// A controller with a limited number of links, and accessories that request them. The walk
/// performs the actions of the pool, and keeps the first violated rule.
struct PoolWalk {
    private enum Link { case connecting, linked, ending }

    private var pool: LinkPool
    private let fixed: Int?
    private let controllerLimit: Int
    private var links: [SlotToken: (identity: AccessoryIdentity, link: Link)] = [:]
    private var waiting: Set<AccessoryIdentity> = []
    /// The links of completed connection requests that have no slot yet.
    private var waitingLinks: Set<AccessoryIdentity> = []
    private var now = Duration.zero
    private(set) var grantCount = 0
    private(set) var violation: String?

    init(limit: ConnectionLimit, controllerLimit: Int) {
        pool = LinkPool(limit: limit)
        fixed = if case .fixed(let count) = limit { count } else { nil }
        self.controllerLimit = controllerLimit
    }

    mutating func step(using generator: inout SplitMix64) {
        pass(.milliseconds(Int.random(in: 0..<5000, using: &generator)))
        let identity = PoolHarness.identity("\(Int.random(in: 0..<12, using: &generator))")
        let priority = Int.random(in: 0..<3, using: &generator)
        let held = links.values.contains { $0.identity == identity }
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1, 2: if !held { reserve(identity, priority) }
        case 3: if !held, !waitingLinks.contains(identity) { claim(identity, priority) }
        case 4: withdraw(identity)
        case 11: follow(pool.seen(identity, now: now))
        case 5, 6, 7: answerRequest(generator.happens(oneIn: 5))
        case 8: if let token = token(.linked, using: &generator) { beginEnd(token) }
        case 9: if let token = token(.linked, using: &generator) { end(token) }
        case 10: if let token = token(.linked, using: &generator) { pool.received(token, now: now) }
        default: if let token = token(.ending, using: &generator) { end(token) }
        }
        check()
    }

    /// Ends links, and lets attempts fail only for lack of room, until every waiting accessory was
    /// served.
    mutating func endFaults() {
        for _ in 0..<200 where !waiting.isEmpty || !links.isEmpty {
            pass(.seconds(5))
            answerRequest(false)
            for token in links.filter({ $0.value.link != .connecting }).keys { end(token) }
            check()
        }
        if !waiting.isEmpty || !pool.state(now: now).holders.isEmpty {
            note("an accessory waits forever")
        }
    }

    // MARK: Events

    private mutating func pass(_ duration: Duration) {
        now += duration
        var turns = 0
        while let deadline = pool.nextDeadline, deadline <= now, turns < 100 {
            turns += 1
            follow(pool.deadlinePassed(now: now))
        }
        if turns == 100 { note("a deadline stays in the past") }
    }

    private mutating func reserve(_ identity: AccessoryIdentity, _ priority: Int) {
        guard !waitingLinks.contains(identity) else { return }
        waiting.insert(identity)
        // Some accessories were never seen, and must be searched for.
        let lastSeen = priority == 0 ? nil : now
        follow(pool.reserve(identity, priority: priority, lastSeen: lastSeen, now: now))
    }

    /// Completes a pending connection request, if the controller has room.
    private mutating func claim(_ identity: AccessoryIdentity, _ priority: Int) {
        guard linkCount < controllerLimit else { return }
        waiting.insert(identity)
        follow(pool.claim(identity, priority: priority, now: now), arrived: identity)
    }

    private mutating func withdraw(_ identity: AccessoryIdentity) {
        waiting.remove(identity)
        waitingLinks.remove(identity)
        follow(pool.withdraw(identity, now: now))
    }

    private var linkCount: Int {
        links.values.count { $0.link != .connecting } + waitingLinks.count
    }

    /// Answers the oldest connection attempt. It is refused if there are too many links or if
    /// `fails` is `true`.
    private mutating func answerRequest(_ fails: Bool) {
        let connecting = links.filter { $0.value.link == .connecting }.keys.min {
            $0.number < $1.number
        }
        guard let token = connecting else { return }
        if linkCount >= controllerLimit {
            links[token] = nil
            follow(pool.capacityFailed(token, now: now))
        } else if fails {
            end(token)
        } else {
            links[token]?.link = .linked
            follow(pool.linkMade(token, now: now))
        }
    }

    private mutating func beginEnd(_ token: SlotToken) {
        links[token]?.link = .ending
        follow(pool.ending(token))
    }

    private mutating func end(_ token: SlotToken) {
        links[token] = nil
        follow(pool.release(token, now: now))
        if !pool.release(token, now: now).isEmpty { note("a slot was released twice") }
    }

    private func token(_ link: Link, using generator: inout SplitMix64) -> SlotToken? {
        links.filter { $0.value.link == link }.keys.sorted { $0.number < $1.number }
            .randomElement(using: &generator)
    }

    // MARK: Actions

    private mutating func follow(_ actions: [LinkPoolAction], arrived: AccessoryIdentity? = nil) {
        for action in actions {
            switch action {
            case .grant(let token, let identity):
                grantCount += 1
                if !waiting.contains(identity) { note("a grant without a request") }
                if links[token] != nil { note("a token was granted twice") }
                waiting.remove(identity)
                let hasLink = waitingLinks.remove(identity) != nil || identity == arrived
                links[token] = (identity, hasLink ? .linked : .connecting)
            case .evict(let token, let holder, _):
                if links[token]?.identity != holder { note("the evicted slot has another holder") }
                if links[token]?.link != .linked { note("the evicted slot has no link") }
                links[token]?.link = .ending
            case .keepWaiting(let identity): waitingLinks.insert(identity)
            case .wait, .turnAway, .changed: break
            }
        }
    }

    private mutating func check() {
        let state = pool.state(now: now)
        if state.holders.count != links.count { note("the pool has a different number of slots") }
        if Set(state.waiting.map(\.identity)) != waiting { note("the pool has different requests") }
        if Set(state.holders.map(\.identity)).count < state.holders.count {
            note("an accessory has two slots")
        }
        if let fixed, state.holders.count > fixed { note("the slots exceed the limit") }
        if waitingLinks.count > links.values.count(where: { $0.link == .ending }) {
            note("the kept links exceed the ending ones")
        }
    }

    private mutating func note(_ text: String) {
        if violation == nil { violation = "\(text) at \(now)" }
    }
}

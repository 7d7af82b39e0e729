// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Connection policies")
struct ConnectionPolicyTests {
    private func holder(
        _ name: String,
        _ priority: Int = 0,
        silence: Int = 0,
        held: Int = 600,
        signal: Int? = nil
    ) -> ConnectionHolder {
        ConnectionHolder(
            identity: PoolHarness.identity(name),
            priority: priority,
            held: .seconds(held),
            silence: .seconds(silence),
            signal: signal
        )
    }

    private func victim(_ priority: Int, _ links: ConnectionHolder...) -> String? {
        let request = ConnectionRequest(identity: PoolHarness.identity("new"), priority: priority)
        return StandardConnectionPolicy().linkToEnd(for: request, among: links)
            .map { PoolHarness.name($0) }
    }

    @Test("A request takes the slot of a lower priority, lowest first")
    func priority() {
        #expect(victim(2, holder("a", 1), holder("b", 0), holder("c", 2)) == "b")
        #expect(victim(0, holder("a", 0), holder("b", 1)) == nil)
        #expect(victim(-1, holder("a", 0, silence: 900)) == nil)
    }

    @Test(
        "Among equal priorities, a link is ended after a silence of a minute, longest silence first"
    )
    func silence() {
        #expect(victim(0, holder("a", silence: 59), holder("b", silence: 2)) == nil)
        #expect(victim(0, holder("a", silence: 60), holder("b", silence: 61)) == "b")
    }

    @Test("A silent link is kept for its time slice, except for a greater priority")
    func timeSlice() {
        #expect(victim(0, holder("a", silence: 500, held: 599)) == nil)
        #expect(victim(0, holder("a", silence: 500, held: 600)) == "a")
        #expect(victim(1, holder("a", held: 1)) == "a")
    }

    @Test("With a silence limit of zero, links that always send take turns as well")
    func alwaysSending() {
        let policy = StandardConnectionPolicy(silenceLimit: .zero, timeSlice: .seconds(120))
        let request = ConnectionRequest(identity: PoolHarness.identity("new"), priority: 0)
        let links = [holder("a", held: 119), holder("b", held: 120)]
        #expect(policy.linkToEnd(for: request, among: [links[0]]) == nil)
        #expect(policy.linkToEnd(for: request, among: links) == links[1].identity)
    }

    @Test("A first pairing ends a link at once, the one with the longest silence")
    func firstPairing() {
        let request = ConnectionRequest(
            identity: PoolHarness.identity("new"),
            priority: 0,
            isPairing: true
        )
        let policy = StandardConnectionPolicy()
        let links = [holder("a", silence: 0, held: 1), holder("b", silence: 3, held: 4)]
        #expect(policy.linkToEnd(for: request, among: links) == links[1].identity)
        #expect(policy.linkToEnd(for: request, among: [links[0]]) == links[0].identity)
        #expect(policy.linkToEnd(for: request, among: [holder("a", 1, silence: 900)]) == nil)
    }

    @Test("No link is ended while its accessory is being paired")
    func pairingStays() {
        var pairing = holder("a", silence: 900, held: 900)
        pairing.isPairing = true
        for isPairing in [false, true] {
            let request = ConnectionRequest(
                identity: PoolHarness.identity("new"),
                priority: 9,
                isPairing: isPairing
            )
            #expect(StandardConnectionPolicy().linkToEnd(for: request, among: [pairing]) == nil)
        }
    }

    @Test("A time slice is at least two minutes", arguments: [(10, 119, false), (10, 120, true)])
    func minimumTimeSlice(slice: Int, held: Int, makesRoom: Bool) {
        let policy = StandardConnectionPolicy(timeSlice: .seconds(slice))
        let request = ConnectionRequest(identity: PoolHarness.identity("new"), priority: 0)
        let link = holder("a", silence: 90, held: held)
        #expect((policy.linkToEnd(for: request, among: [link]) != nil) == makesRoom)
    }

    @Test("Among equally silent links, the weakest is ended")
    func signal() {
        #expect(victim(1, holder("a", signal: -60), holder("b", signal: -80)) == "b")
        #expect(victim(1, holder("a", signal: -60), holder("b")) == "b")
    }

    @Test("The first-come policy ends no link")
    func firstCome() {
        var harness = PoolHarness(limit: .fixed(1), policy: .firstCome)
        harness.link("a")
        #expect(harness.reserve("b", 9) == ["b waits: 1 of 1"])
        #expect(harness.wait(3600) == [])
    }

    // MARK: Policies in the pool

    @Test("One link is ended for each waiting accessory, and only once")
    func onePerWaiter() {
        var harness = PoolHarness(limit: .fixed(3))
        harness.link("a", "b", "c")
        #expect(harness.reserve("x", 1) == ["evict a for x", "x waits: 3 of 3"])
        #expect(harness.wait(60) == [])
        #expect(harness.reserve("y", 1) == ["evict b for y", "y waits: 3 of 3"])
        #expect(harness.release("a") == ["grant x"])
        #expect(harness.release("b") == ["grant y"])
        #expect(harness.holders == ["c", "x", "y"])
    }

    @Test("A first pairing keeps its slot until it has succeeded, and then the usual rules apply")
    func pairingLink() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reservePairing("b") == ["evict a for b", "b waits: 1 of 1"])
        #expect(harness.promised["b"] == true)
        #expect(harness.release("a") == ["grant b"])
        harness.linked("b")
        #expect(harness.reserve("a", 5) == ["a waits: 1 of 1"])
        #expect(harness.reservePairing("c") == ["c waits: 1 of 1"])
        #expect(harness.promised["c"] == false)
        harness.paired("b")
        #expect(harness.wait(10) == ["evict b for c"])
    }

    @Test("A pairing whose accessory must be found is promised a slot while the search lasts")
    func searchedPairing() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reserve("b", isPairing: true, lastSeen: nil) == ["b waits: 1 of 1"])
        #expect(harness.isSearching(for: "b") && harness.promised["b"] == true)
        #expect(harness.see("b") == ["evict a for b"])
        #expect(harness.release("a") == ["grant b"])

        #expect(harness.reserve("c", isPairing: true, lastSeen: nil) == ["c waits: 1 of 1"])
        #expect(harness.promised["c"] == false)
        harness.linked("b")
        harness.paired("b")
        _ = harness.wait(10)
        #expect(harness.isSearching(for: "c"))
        _ = harness.wait(30)
        #expect(harness.promised["c"] == false)
    }

    @Test("No link is ended for an accessory that gets the slot of a link that is already ending")
    func endingAnyway() throws {
        var harness = PoolHarness(limit: .fixed(2))
        harness.link("a", "b")
        _ = harness.pool.ending(try #require(harness.pool.token(of: PoolHarness.identity("a"))))
        #expect(harness.reserve("x", 1) == ["x waits: 2 of 2"])
        #expect(harness.reserve("y", 1) == ["evict b for y", "y waits: 2 of 2"])
    }

    @Test("A link that is ending for a withdrawn request makes room for the next one")
    func withdrawnAfterEviction() {
        var harness = PoolHarness(limit: .fixed(2))
        harness.link("a", "b")
        #expect(harness.reserve("x", 1).first == "evict a for x")
        #expect(harness.withdraw("x") == [])
        #expect(harness.reserve("y", 1) == ["y waits: 2 of 2"])
        #expect(harness.release("a") == ["grant y"])
    }

    @Test("A link that was silent for its whole time slice is ended")
    func fallsSilent() {
        var harness = PoolHarness(limit: .fixed(2))
        harness.link("a", "b")
        #expect(harness.reserve("c") == ["c waits: 2 of 2"])
        for _ in 0..<59 {
            #expect(harness.wait(10) == [])
            if let token = harness.tokens[PoolHarness.identity("a")] {
                harness.pool.received(token, now: harness.now)
            }
            #expect(harness.see("c") == [])
        }
        #expect(harness.wait(10) == ["evict b for c"])
    }

    @Test("No link is ended for an accessory that is not in range, until it is discovered")
    func outOfRange() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reserve("b", 5, lastSeen: nil) == ["b waits: 1 of 1"])
        #expect(harness.isSearching(for: "b"))
        // Searches are short, and have pauses.
        var searching = 0
        for _ in 0..<360 {
            #expect(harness.wait(10) == [])
            if harness.isSearching(for: "b") { searching += 10 }
        }
        #expect(searching > 300 && searching < 720)
        while !harness.isSearching(for: "b") { _ = harness.wait(10) }
        #expect(harness.see("b") == ["evict a for b"])
        #expect(!harness.isSearching(for: "b"))
        #expect(harness.release("a") == ["grant b"])
    }

    @Test("A search ends when there is no longer a link that the policy would end")
    func searchEnds() {
        var harness = PoolHarness(limit: .fixed(1))
        harness.link("a")
        #expect(harness.reserve("b", lastSeen: nil) == ["b waits: 1 of 1"])
        #expect(!harness.isSearching(for: "b"))
        #expect(harness.wait(600) == [])
        #expect(harness.isSearching(for: "b"))
        if let token = harness.tokens[PoolHarness.identity("a")] {
            harness.pool.received(token, now: harness.now)
        }
        #expect(harness.wait(10) == [])
        #expect(!harness.isSearching(for: "b"))
    }

    @Test("A running connection attempt is not ended for another accessory")
    func attemptStays() {
        var harness = PoolHarness(limit: .fixed(1))
        #expect(harness.reserve("a") == ["grant a"])
        #expect(harness.reserve("b", 9) == ["b waits: 1 of 1"])
        harness.linked("a")
        #expect(harness.wait(10) == ["evict a for b"])
    }

    @Test("An app's own policy decides which link is ended")
    func ownPolicy() {
        struct WeakestFirst: ConnectionPolicy {
            func linkToEnd(
                for request: ConnectionRequest,
                among links: [ConnectionHolder]
            ) -> AccessoryIdentity? {
                links.min { ($0.signal ?? 0) < ($1.signal ?? 0) }?.identity
            }
        }
        var harness = PoolHarness(limit: .fixed(2), policy: WeakestFirst())
        harness.link("a", "b")
        for (name, signal) in [("a", -50), ("b", -90)] {
            guard let token = harness.tokens[PoolHarness.identity(name)] else { continue }
            harness.pool.measured(token, signal: signal)
        }
        #expect(harness.reserve("c").first == "evict b for c")
    }

    @Test("If a policy chooses an accessory without a link, the choice is ignored")
    func invalidChoice() {
        struct InvalidPolicy: ConnectionPolicy {
            func linkToEnd(
                for request: ConnectionRequest,
                among links: [ConnectionHolder]
            ) -> AccessoryIdentity? { request.identity }
        }
        var harness = PoolHarness(limit: .fixed(1), policy: InvalidPolicy())
        harness.link("a")
        #expect(harness.reserve("b") == ["b waits: 1 of 1"])
        #expect(harness.wait(600) == [])
        #expect(harness.holders == ["a"])
    }
}

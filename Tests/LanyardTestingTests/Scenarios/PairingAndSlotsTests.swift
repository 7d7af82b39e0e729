// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Pairing and connection slots", .eachSystem)
struct PairingAndSlotsTests {
    @Test("Row 12: An accessory that requires pairing is paired when it is ready")
    func paired() async throws {
        let world = TestWorld(seed: 121)
        world.add(.lock)
        try await world.run {
            let lock = try await world.phone.central(.lock).pair(.lock)
            #expect(lock.state == .ready)
            #expect(try await lock.read("1C01") == Data([1]))
        }
    }

    @Test("Row 12: A lock that lost its bond is not ready, and the reason is reported")
    func lostBond() async throws {
        let world = TestWorld(seed: 122)
        let lock = world.add(.lock)
        try await world.run {
            let known = try await world.phone.central(.lock).pair(.lock)
            world.story.follow(known)
            lock.loseBonds()
            lock.dropLink()
            try await world.expect("the lost link is noticed", within: .seconds(5)) {
                known.state != .ready
            }
            try await world.expectNever(known, becomes: .ready, for: .seconds(120))
            #expect(known.state == .idle)
            #expect(known.latestChange.reason.failure?.kind == .unpaired, "\(world.story)")
        }
    }

    @Test("Row 12: A phone that lost its bond pairs again before the accessory is ready")
    func lostOwnBond() async throws {
        let world = TestWorld(seed: 124)
        let lock = world.add(.lock)
        try await world.run {
            let known = try await world.phone.central(.lock).pair(.lock)
            world.story.follow(known)
            world.phone.loseBonds()
            try await world.expect("the lost bond is noticed", within: .seconds(5)) {
                known.state != .ready
            }
            try await world.expect(known, becomes: .ready, within: .seconds(120))
            #expect(await lock.linkCount == 1)
            #expect(
                world.story.states(of: "Lock") == [
                    "ready", "outOfRange", "connecting", "subscribing", "connected", "ready",
                ]
            )
        }
    }

    @Test("Row 12: A paired lock with a rotating address becomes ready again after range loss")
    func bonded() async throws {
        let world = TestWorld(seed: 123)
        let lock = world.add(.lock.with { $0.address = .rotating(every: .seconds(300)) })
        try await world.run {
            let known = try await world.phone.central(.lock).pair(.lock)
            for _ in 1...3 {
                lock.walk(to: .outOfRange)
                try await world.expect(known, becomes: .outOfRange, within: .seconds(40))
                try await world.advance(by: .seconds(700))
                lock.comeBack()
                try await world.expect(known, becomes: .ready, within: .seconds(20))
            }
        }
    }

    @Test("Row 13: With all slots in use, a pairing fails and reports which accessories hold them")
    func pool() async throws {
        let world = TestWorld(seed: 131)
        for number in 1...3 { world.add(.strap.with { $0.name = "Strap \(number)" }) }
        try await world.run {
            let central = world.phone.central(.strap) {
                $0.connectionLimit = .fixed(2)
                $0.policy = .firstCome
            }
            let first = try await central.pair(.strap)
            let second = try await central.pair(.strap)
            let failure = await #expect(throws: AccessoryError.self) {
                try await central.pair(.strap)
            }
            guard case .outOfConnectionSlots(let slots) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(slots.limit == 2)
            #expect(Set(slots.holders.map(\.identity)) == [first.id, second.id])
            try await first.disconnect()
            let third = try await central.pair(.strap)
            #expect(third.state == .ready)
            #expect(second.state == .ready)
        }
    }

    @Test("Row 13: A controller that refuses another link makes known how many it supports")
    func learnedLimit() async throws {
        let world = TestWorld(seed: 133)
        for number in 1...3 { world.add(.strap.with { $0.name = "Strap \(number)" }) }
        let phone = world.addPhone("small", connectionLimit: 2)
        try await world.run {
            let central = phone.central(.strap) { $0.policy = .firstCome }
            let first = try await central.pair(.strap)
            let second = try await central.pair(.strap)
            #expect(central.connectionSlots.limit == nil)
            let start = world.now
            let failure = await #expect(throws: AccessoryError.self) {
                try await central.pair(.strap)
            }
            guard case .outOfConnectionSlots(let slots) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(world.now - start < .seconds(10))
            #expect(slots.limit == 2)
            #expect(Set(slots.holders.map(\.identity)) == [first.id, second.id])
            try await first.disconnect()
            let third = try await central.pair(.strap)
            #expect(third.state == .ready && second.state == .ready)
        }
    }

    @Test("Row 13: A pending request without room waits longer and longer, or until a link ends")
    func pendingWithoutRoom() async throws {
        let world = TestWorld(seed: 135)
        for number in 1...2 { world.add(.strap.with { $0.name = "Strap \(number)" }) }
        let phone = world.addPhone("small", connectionLimit: 1)
        try await world.run(for: .seconds(1000)) {
            let central = phone.central(.strap)
            let first = try await central.pair(.strap)
            try await first.disconnect()
            let second = try await central.pair(.strap)
            try await world.advance(by: .seconds(10))
            first.connect()
            try await world.advance(by: .seconds(240))
            #expect(first.state == .outOfRange)
            #expect(first.latestChange.reason.failure?.kind == .capacity)
            #expect(first.attempts.count { $0.failure?.kind == .capacity } < 10)
            try await second.disconnect()
            try await world.expect(first, becomes: .ready, within: .seconds(3))
        }
    }

    @Test("Row 13: Without a configured limit, accessories take turns on a small controller")
    func learnedTurns() async throws {
        let world = TestWorld(seed: 134)
        for number in 1...4 { world.add(.strap.with { $0.name = "Strap \(number)" }) }
        let phone = world.addPhone("small", connectionLimit: 2)
        try await world.run(for: .seconds(300)) {
            let central = phone.central(.strap)
            var straps: [Accessory] = []
            for _ in 1...4 { straps.append(try await central.pair(.strap)) }
            #expect(straps.count { $0.state == .ready } == 2)
            try await straps[3].disconnect()
            try await straps[2].disconnect()
            for strap in straps.prefix(2) {
                try await world.expect(strap, becomes: .ready, within: .seconds(60))
            }
        }
    }

    @Test("Row 13: A link that the policy ends has a reason, and its accessory reconnects later")
    func evicted() async throws {
        let world = TestWorld(seed: 132)
        world.add(.strap)
        world.add(.box)
        world.add(.lock)
        try await world.run {
            let central = world.phone.central(.strap, .box, .lock) {
                $0.connectionLimit = .fixed(2)
                $0.policy = SilentGoesFirst()
            }
            let strap = try await central.pair(.strap)
            let box = try await central.pair(.box)
            let reasons = ReceivedValues<ChangeReason>()
            let observation = box.onChange { reasons.add($0.reason) }
            // The strap has sent values all the time, and the box nothing.
            try await world.advance(by: .seconds(10))
            let lock = try await central.pair(.lock)
            #expect(lock.state == .ready)
            #expect(strap.state == .ready)
            #expect(box.state != .ready)
            #expect(reasons.values.contains(.evicted))
            try await lock.disconnect()
            try await world.expect(box, becomes: .ready, within: .seconds(30))
            #expect(strap.state == .ready)
            withExtendedLifetime(observation) {}
        }
    }

    /// A policy that ends the link with the longest silence.
    private struct SilentGoesFirst: ConnectionPolicy {
        func linkToEnd(
            for request: ConnectionRequest,
            among links: [ConnectionHolder]
        ) -> AccessoryIdentity? {
            links.filter { $0.phase == .linked }.max { $0.silence < $1.silence }?.identity
        }
    }
}

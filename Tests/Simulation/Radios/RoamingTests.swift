// SPDX-License-Identifier: Apache-2.0

import BluetoothRadios
import Foundation
import Lanyard
import LanyardTestSupport
import LanyardTesting
import Synchronization
import Testing
import VirtualRadio

/// One host on several radios: bonded straps that people carry from room to room. The app uses
/// `Lanyard`, and the notified value is protected.
@Suite("Roaming in a simulated building")
struct RoamingTests {
    /// The supervision timeout of a composite adapter's links, and three seconds.
    private static let gapLimit = RadioRules().supervisionTimeout + .seconds(3)

    /// The gaps and moves of many walks.
    private struct Tally {
        /// The longest time between two values of each walk.
        var longest: [Duration] = []
        var gaps: [Duration] = []
        var moves: [Int] = []

        /// The gap that 99 of 100 gaps do not exceed.
        var high: Duration {
            let sorted = gaps.sorted()
            return sorted.isEmpty ? .zero : sorted[(sorted.count * 99 - 1) / 100]
        }
    }

    /// The result of a walk.
    private final class WalkRecord: Sendable {
        let tally = Mutex(Tally())
    }

    /// Pairs the straps beside the first radio, runs `body`, and checks that no link is left.
    private func live(
        _ building: Building,
        _ body: @escaping @Sendable ([Accessory], [ValueTimes]) async throws -> Void
    ) async throws {
        try await building.world.run(for: .seconds(7_200)) {
            let adapter = building.corridor.makeAdapter()
            let central = building.makeCentral(on: adapter)
            var accessories: [Accessory] = []
            var records: [ValueTimes] = []
            for number in building.straps.indices {
                let accessory = try await central.pair(Building.description(number))
                let record = ValueTimes()
                try record.follow(accessory, in: building.world)
                accessories.append(accessory)
                records.append(record)
            }
            try await body(accessories, records)
            for record in records { record.end() }
            await central.shutDown()
            try await building.world.advance(by: .seconds(10))
            let report = try #require(await building.corridor.report())
            #expect(report.peers.isEmpty, "seed \(building.world.seed)")
            let counts = report.radios.map(\.linkCount)
            #expect(counts.allSatisfy { $0 == 0 }, "\(counts), seed \(building.world.seed)")
            #expect(building.pairingCount == building.straps.count, "a strap paired again")
            await adapter.shutDown()
        }
    }

    /// Lets time pass, and checks each second that no peer has two links.
    private static func pass(_ duration: Duration, in building: Building) async throws {
        let end = building.world.now + duration
        while building.world.now < end {
            try await building.world.advance(by: .seconds(1))
            let report = try #require(await building.corridor.report())
            let peers = report.peers.map(\.peer)
            #expect(Set(peers).count == peers.count, "seed \(building.world.seed)")
            let count = report.radios.map(\.linkCount).reduce(0, +)
            #expect(count <= building.straps.count, "seed \(building.world.seed)")
        }
    }

    /// Lets a strap walk from room to room and back.
    private func walk(seed: UInt64) async throws -> Tally {
        let building = try Building(seed: seed, rooms: 4)
        let record = WalkRecord()
        try await live(building) { accessories, records in
            let rooms = [0, 1, 2, 3, 2, 1, 0]
            let duration = building.walk(0, through: rooms, pausing: .seconds(15))
            try await Self.pass(duration, in: building)
            #expect(accessories[0].state == .ready, "seed \(seed)")
            let moves = try #require(await building.corridor.report()).moveCount
            #expect(Double(moves) <= 1.5 * Double(rooms.count), "seed \(seed)")
            record.tally.withLock {
                let times = records[0].times
                // Without values, there would be no gaps either.
                #expect(times.count > Int(duration / Building.period) / 2, "seed \(seed)")
                $0.longest = [zip(times.dropFirst(), times).map { $0 - $1 }.max() ?? .zero]
                $0.gaps = records[0].gaps(until: building.world.now)
                $0.moves = [moves]
            }
            // The composite adapter stays available while its radios come and go.
            let wrong: Set<AccessoryState> = [
                .idle, .poweredOff, .unsupported, .waitingForBluetooth,
            ]
            let found = wrong.intersection(records[0].states)
            #expect(found.isEmpty, "\(found), seed \(seed)")
        }
        return record.tally.withLock { $0 }
    }

    @Test("A bonded strap resumes its notifications at every radio")
    func walkers() async throws {
        var all = Tally()
        for seed in RunSeed.seeds(8) {
            let tally = try await walk(seed: seed)
            #expect(tally.gaps.allSatisfy { $0 <= Self.gapLimit * 2 }, "seed \(seed)")
            all.longest += tally.longest
            all.gaps += tally.gaps
            all.moves += tally.moves
        }
        print(
            """
            \(all.moves.count) walks through 7 rooms: \(all.gaps.count) gaps, 99 % of them at most \
            \(all.high); longest time between values: \(all.longest.max() ?? .zero); moves per \
            walk: \(all.moves.sorted())
            """
        )
        #expect(all.moves.allSatisfy { $0 > 0 }, "\(all.moves)")
        #expect(all.high <= Self.gapLimit, "\(all.gaps.sorted().suffix(5))")
    }

    @Test("A strap whose radio fails is ready on another one within five seconds")
    func lostRadio() async throws {
        for seed in RunSeed.seeds(5) {
            let building = try Building(seed: seed, rooms: 3)
            try await live(building) { accessories, records in
                // The strap walks to the middle radio, so that the other radios receive it as well.
                _ = building.walk(0, through: [0, 1], pausing: .seconds(1))
                try await Self.pass(.seconds(30), in: building)
                for _ in 0..<4 {
                    let report = try #require(await building.corridor.report())
                    let room = try #require(report.peers.first).radio
                    let lost = building.world.now
                    building.corridor.unplug(room)
                    try await Self.pass(.seconds(20), in: building)
                    #expect(accessories[0].state == .ready, "seed \(seed)")
                    let back = records[0].times.first { $0 > lost + .seconds(1) }
                    let gap = try #require(back) - lost
                    #expect(gap <= .seconds(5), "seed \(seed)")
                    // The first value can come before the last subscription is confirmed.
                    let reported = try #require(accessories[0].latestChange.gap, "seed \(seed)")
                    #expect(reported > .zero && reported <= .seconds(5), "seed \(seed)")
                    building.corridor.plugIn(room)
                    try await Self.pass(.seconds(30), in: building)
                }
            }
        }
    }

    @Test("A strap that stays beside its radio never moves")
    func stays() async throws {
        let building = try Building(seed: 3, rooms: 3, straps: 2)
        try await live(building) { _, records in
            try await Self.pass(.seconds(900), in: building)
            let report = try #require(await building.corridor.report())
            #expect(report.moveCount == 0)
            for record in records { #expect(record.gaps(until: building.world.now).isEmpty) }
        }
    }

    @Test("A strap far from two radios moves at most four times in its second half hour")
    func edge() async throws {
        let building = try Building(seed: 5, rooms: 2)
        try await live(building) { accessories, _ in
            guard let controller = building.straps[0].controller else { return }
            // The strap is equally far from both radios, with a poor signal.
            building.world.air.world.move(controller, to: Position(x: 15, y: 40))
            try await Self.pass(.seconds(1_800), in: building)
            let early = try #require(await building.corridor.report()).moveCount
            #expect(early > 0)
            try await Self.pass(.seconds(1_800), in: building)
            let late = try #require(await building.corridor.report()).moveCount - early
            #expect(late <= 4, "\(early) moves before")
            building.world.air.world.move(controller, to: Position(x: 0, y: 2))
            try await Self.pass(.seconds(60), in: building)
            #expect(accessories[0].state == .ready)
        }
    }
}

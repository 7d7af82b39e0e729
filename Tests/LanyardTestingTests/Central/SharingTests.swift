// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Silent accessories that share few slots")
struct SharingTests {
    /// A sensor that sends nothing by itself.
    private static let sensor = AccessoryDescription(
        kind: "sensor",
        matching: .service("180F"),
        services: [ServiceDescription("180F", [.read("2A19")])]
    )

    private func fixture() -> CentralFixture {
        CentralFixture(straps: 5) { $0 = VirtualAccessory($0.name, services: [.battery(70)]) }
    }

    /// The shortest time slice, so that six slices take only minutes of virtual time.
    private static let slice = StandardConnectionPolicy.minimumTimeSlice

    /// Pairs all sensors with a first central, and returns a second central with three slots, which
    /// remembers them.
    private func centralWithThreeSlots(_ fixture: CentralFixture) async throws -> AccessoryCentral {
        let first = fixture.central(Self.sensor)
        for _ in 1...5 { _ = try await first.pair(Self.sensor) }
        await first.shutDown()
        let central = fixture.central(Self.sensor) {
            $0.connectionLimit = .fixed(3)
            $0.policy = StandardConnectionPolicy(timeSlice: Self.slice)
        }
        try await fixture.world.advance(by: .seconds(120))
        #expect(central.accessories.count { $0.state == .ready } == 3)
        return central
    }

    @Test("Row 13: Five silent accessories take turns on three links, in slices")
    func turns() async throws {
        let fixture = fixture()
        try await fixture.world.run(for: .seconds(20_000)) {
            let central = try await centralWithThreeSlots(fixture)
            let received = ReceivedValues<AccessoryIdentity>()
            let observations = central.accessories.map { accessory in
                accessory.onChange { if $0.state == .ready { received.add(accessory.id) } }
            }
            let calls = fixture.count(of: "connect")
            try await fixture.world.advance(by: Self.slice * 6)
            let reconnects = fixture.count(of: "connect") - calls
            print("\(reconnects) reconnects in six time slices")
            // Three links, each of which ends for another accessory at the end of its slice.
            #expect(reconnects <= 3 * 6)
            #expect(Set(received.values) == Set(central.accessories.map(\.id)))
            for observation in observations { observation.cancel() }
            await central.shutDown()
        }
    }

    @Test("Reading the signal strength does not keep the link of a silent accessory")
    func measurements() async throws {
        let fixture = CentralFixture(straps: 2) {
            $0 = VirtualAccessory($0.name, services: [.battery(70)])
        }
        try await fixture.world.run(for: .seconds(20_000)) {
            let first = fixture.central(Self.sensor)
            for _ in 1...2 { _ = try await first.pair(Self.sensor) }
            await first.shutDown()
            let central = fixture.central(Self.sensor) {
                $0.connectionLimit = .fixed(1)
                $0.policy = StandardConnectionPolicy(timeSlice: Self.slice)
            }
            var wereReady: Set<AccessoryIdentity> = []
            let end = fixture.world.now + Self.slice * 4
            while fixture.world.now < end {
                try await fixture.world.advance(by: .seconds(10))
                for accessory in central.accessories where accessory.state == .ready {
                    wereReady.insert(accessory.id)
                    _ = try? await accessory.rssi()
                }
            }
            #expect(wereReady == Set(central.accessories.map(\.id)))
            await central.shutDown()
        }
    }

    @Test("Row 13: A pairing gets one of three links, and the accessory that lost it gets a turn")
    func pairing() async throws {
        let fixture = fixture()
        try await fixture.world.run(for: .seconds(20_000)) {
            let central = fixture.central(Self.sensor) {
                $0.connectionLimit = .fixed(3)
                $0.policy = StandardConnectionPolicy(timeSlice: Self.slice)
            }
            for _ in 1...3 { _ = try await central.pair(Self.sensor) }
            let fourth = try await central.pair(Self.sensor)
            #expect(fixture.world.now < .seconds(30))
            let loser = try #require(central.accessories.first { $0.state != .ready })
            #expect(loser.id != fourth.id)
            try await fixture.world.expect("the accessory has a link again", within: Self.slice * 2)
            {
                loser.state == .ready
            }
            await central.shutDown()
        }
    }

    @Test("Row 13: No link is ended for waiting accessories that are not in range")
    func absent() async throws {
        let fixture = fixture()
        try await fixture.world.run(for: .seconds(20_000)) {
            let central = try await centralWithThreeSlots(fixture)
            let waiting = central.accessories.filter { $0.state != .ready }
            for accessory in waiting {
                let strap = fixture.straps.first { $0.name == accessory.name }
                try #require(strap).switchOff()
            }
            let calls = fixture.count(of: "connect")
            try await fixture.world.advance(by: Self.slice * 6)
            #expect(fixture.count(of: "connect") == calls)
            #expect(central.accessories.count { $0.state == .ready } == 3)
            // A waiting accessory that returns gets its turn.
            let back = try #require(waiting.first)
            try #require(fixture.straps.first { $0.name == back.name }).switchOn()
            try await fixture.world.advance(by: Self.slice * 2)
            #expect(fixture.count(of: "connect") > calls)
            await central.shutDown()
        }
    }
}

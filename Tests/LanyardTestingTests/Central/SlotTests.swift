// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Connection slots", .eachSystem)
struct SlotTests {
    @Test("Row 13: Without a free slot, the error names the holders, and slots are released")
    func exhausted() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central {
                $0.connectionLimit = .fixed(1)
                $0.policy = .firstCome
            }
            let first = try await central.pair(CentralFixture.strap)
            let error = await #expect(throws: AccessoryError.self) {
                try await central.pair(CentralFixture.strap)
            }
            guard case .outOfConnectionSlots(let slots) = error else { throw Unexpected(error) }
            #expect(slots.limit == 1)
            #expect(slots.holders.map(\.identity) == [first.id])
            try await first.disconnect()
            let second = try await central.pair(CentralFixture.strap)
            #expect(second.state == .ready)
            #expect(second.id != first.id)
            await central.shutDown()
        }
    }

    @Test("Row 13: A fourth strap is paired although three straps send values on three links")
    func fourth() async throws {
        let fixture = CentralFixture(straps: 4)
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central { $0.connectionLimit = .fixed(3) }
            var straps: [Accessory] = []
            for _ in 1...4 {
                let strap = try await central.pair(CentralFixture.strap)
                #expect(strap.state == .ready)
                straps.append(strap)
            }
            #expect(fixture.world.now < .seconds(30))
            #expect(straps.count { $0.state == .ready } == 3)
            await central.shutDown()
        }
    }

    @Test("Pairing fails if the slot that becomes free is reserved for another accessory")
    func outrun() async throws {
        let fixture = CentralFixture(straps: 2)
        var lamp = CentralFixture.strap
        lamp.kind = "lamp"
        lamp.matcher = .service("180F")
        lamp.services = [ServiceDescription("180F", [.read("2A19")])]
        lamp.priority = 5
        fixture.world.add(VirtualAccessory("Lamp", services: [.battery(70)]), at: .meters(2))
        try await fixture.world.run(for: .seconds(300)) { [lamp] in
            let central = fixture.central(CentralFixture.strap, lamp) {
                $0.connectionLimit = .fixed(1)
            }
            let strap = try await central.pair(CentralFixture.strap)
            let changes = strap.changes
            async let light = central.pair(lamp)
            for await change in changes where change.reason == .evicted { break }
            // The link is ending in favor of the lamp, so there is no slot for another strap.
            let error = await #expect(throws: AccessoryError.self) {
                try await central.pair(CentralFixture.strap)
            }
            guard case .outOfConnectionSlots = error else { throw Unexpected(error) }
            let lit = try await light
            #expect(lit.state == .ready)
            await central.shutDown()
        }
    }

    @Test("No accessory gets a slot while Bluetooth is off")
    func poweredOff() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(600)) {
            let central = fixture.central()
            _ = try await central.pair(CentralFixture.strap)
            _ = try await central.pair(CentralFixture.strap)
            await central.shutDown()
            let later = fixture.central { $0.connectionLimit = .fixed(1) }
            for await change in later.availabilityChanges where change == .poweredOn { break }
            try await fixture.world.advance(by: .seconds(60))
            let histories = later.accessories.map(\.changes)
            fixture.world.phone.isPoweredOn = false
            for await change in later.availabilityChanges where change == .poweredOff { break }
            let calls = fixture.count(of: "connect")
            try await fixture.world.advance(by: .seconds(60))
            #expect(fixture.count(of: "connect") == calls)
            #expect(later.accessories.allSatisfy { $0.state == .poweredOff })
            for history in histories {
                for await change in history {
                    #expect(change.reason != .slotGranted)
                    if change.state == .poweredOff { break }
                }
            }
            await later.shutDown()
        }
    }

    @Test("Row 13: A link of lower priority ends in favor of one of higher priority")
    func priority() async throws {
        let fixture = CentralFixture(straps: 1)
        var lamp = CentralFixture.strap
        lamp.kind = "lamp"
        lamp.matcher = .service("180F")
        lamp.services = [ServiceDescription("180F", [.read("2A19")])]
        lamp.priority = 5
        fixture.world.add(VirtualAccessory("Lamp", services: [.battery(70)]), at: .meters(2))
        try await fixture.world.run(for: .seconds(120)) { [lamp] in
            let central = fixture.central(CentralFixture.strap, lamp) {
                $0.connectionLimit = .fixed(1)
            }
            let strap = try await central.pair(CentralFixture.strap)
            let changes = strap.changes
            let light = try await central.pair(lamp)
            #expect(light.state == .ready)
            for await change in changes where change.reason == .evicted { break }
            // The evicted accessory reconnects when a slot is free.
            try await light.disconnect()
            try await strap.untilReady()
            await central.shutDown()
        }
    }

    @Test("The app can observe the slots and their changes")
    func shown() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central { $0.connectionLimit = .fixed(2) }
            #expect(central.connectionSlots.limit == 2)
            #expect(central.connectionSlots.holders.isEmpty)
            let changes = central.connectionSlotChanges
            let strap = try await central.pair(CentralFixture.strap)
            #expect(central.connectionSlots.holders.map(\.identity) == [strap.id])
            for await slots in changes where slots.holders.first?.phase == .linked { break }
            try await strap.disconnect()
            for await slots in changes where slots.holders.isEmpty { break }
            #expect(central.connectionSlots.holders.isEmpty)
            await central.shutDown()
        }
    }
}

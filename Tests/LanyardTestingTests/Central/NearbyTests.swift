// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Choosing a device", .eachSystem)
struct NearbyTests {
    /// Waits for a list that fulfills a condition.
    private func list(
        in lists: Events<NearbyDevices>,
        where condition: (NearbyDevices) -> Bool
    ) async throws -> NearbyDevices {
        for await list in lists where condition(list) { return list }
        throw Unexpected(nil)
    }

    @Test("Row 11: A device that was chosen from the list is paired, and is known from then on")
    func chosen() async throws {
        let fixture = CentralFixture(straps: 3)
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            let lists = try central.nearby(matching: .service("180D"))
            let near = try await list(in: lists) { list in
                list.devices.count == 3 && list.devices.allSatisfy { $0.name != nil }
            }
            #expect(near.devices.map(\.name) == ["Strap 0", "Strap 1", "Strap 2"])
            #expect(near.devices.allSatisfy { !$0.isKnown && $0.signal != nil })
            #expect(near.lost.isEmpty)
            let strap = try await central.pair(CentralFixture.strap, with: near.devices[2])
            #expect(strap.name == "Strap 2")
            #expect(strap.state == .ready)
            #expect(strap.id == near.devices[2].id)
            let later = try await list(in: lists) { $0.devices.contains(where: \.isKnown) }
            #expect(later.devices.filter(\.isKnown).map(\.id) == [strap.id])
            try await central.forget(strap)
            _ = try await list(in: lists) { !$0.devices.contains(where: \.isKnown) }
            await central.shutDown()
        }
    }

    @Test("Row 11: A device that was switched off is listed as lost within the fixed silence")
    func lost() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            let lists = try central.nearby(
                matching: .service("180D"),
                options: PresenceOptions(lostAfter: .seconds(2))
            )
            _ = try await list(in: lists) { $0.devices.count == 2 }
            try await fixture.world.advance(by: .seconds(20))
            let left = fixture.world.now
            fixture.straps[0].switchOff()
            let after = try await list(in: lists) { !$0.lost.isEmpty }
            #expect(fixture.world.now - left <= .seconds(2))
            #expect(after.lost.map(\.name) == ["Strap 0"])
            #expect(after.devices.map(\.name) == ["Strap 1"])
            fixture.straps[0].switchOn()
            let again = try await list(in: lists) { $0.devices.count == 2 }
            #expect(again.lost.isEmpty)
            await central.shutDown()
        }
    }

    @Test("Row 14: A device that changes its address is one entry of the list, and can be paired")
    func rotating() async throws {
        let fixture = CentralFixture { $0.manufacturerData = [0x59, 0x00, 1, 2, 3, 4] }
        let description = CentralFixture.strap.with {
            $0.identity = .manufacturerData(company: 0x0059, range: 0..<4)
        }
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central(description)
            let lists = try central.nearby(matching: .service("180D"))
            let first = try await list(in: lists) { !$0.devices.isEmpty }
            for _ in 1...3 {
                try await fixture.world.advance(by: .seconds(5))
                fixture.straps[0].changeAddress()
            }
            try await fixture.world.advance(by: .seconds(1))
            let strap = try await central.pair(description, with: first.devices[0])
            let identifier = Data([1, 2, 3, 4])
            #expect(strap.id == .manufacturer(company: 0x0059, identifier: identifier))
            let last = try await list(in: lists) { $0.devices.first?.isKnown == true }
            #expect(last.devices.map(\.id) == [strap.id])
            #expect(last.lost.isEmpty)
            await central.shutDown()
        }
    }

    @Test("A peripheral's identifier from an earlier version of the app is enough to pair it")
    func identifier() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(120)) {
            let earlier = fixture.central()
            let lists = try earlier.nearby(matching: .service("180D"))
            let near = try await list(in: lists) { $0.devices.count == 2 }
            let identifier = try #require(near.devices[1].discovery?.identifier)
            await earlier.shutDown()
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap, with: identifier)
            #expect(strap.name == "Strap 1")
            #expect(strap.id == .system(identifier))
            await central.shutDown()
            // The next central remembers the strap like any other accessory.
            let later = fixture.central()
            #expect(later.accessories.map(\.id) == [strap.id])
            await later.shutDown()
        }
    }

    @Test("An unknown identifier is searched for, and no other device is paired instead")
    func unknownIdentifier() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(CentralFixture.strap, with: UUID())
            }
            #expect(central.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("An accessory is paired by its entry in the store of another central")
    func remembered() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(120)) {
            let earlier = fixture.central()
            let lists = try earlier.nearby(matching: .service("180D"))
            let near = try await list(in: lists) { $0.devices.count == 2 }
            _ = try await earlier.pair(CentralFixture.strap, with: near.devices[1])
            let entry = try #require(fixture.store.accessories.first)
            await earlier.shutDown()
            let central = fixture.central {
                $0.name = "other"
                $0.store = MemoryAccessoryStore()
            }
            let strap = try await central.pair(CentralFixture.strap, with: entry)
            #expect(strap.id == entry.identity)
            #expect(strap.name == "Strap 1")
            await central.shutDown()
        }
    }

    @Test("Choosing a device twice pairs it once, even while it is being paired")
    func twice() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let lamp = CentralFixture.strap.with { $0.kind = "lamp" }
            let central = fixture.central(CentralFixture.strap, lamp)
            let lists = try central.nearby(matching: .service("180D"))
            let device = try await list(in: lists) { !$0.devices.isEmpty }.devices[0]
            async let one = central.pair(CentralFixture.strap, with: device)
            async let other = central.pair(CentralFixture.strap, with: device)
            let (first, second) = try await (one, other)
            #expect(first === second)
            #expect(try await central.pair(CentralFixture.strap, with: device) === first)
            await #expect(throws: AccessoryError.alreadyPaired(kind: "strap")) {
                try await central.pair(lamp, with: device)
            }
            // After it was forgotten, it can be paired as another kind.
            try await central.forget(first)
            #expect(try await central.pair(lamp, with: device).description.kind == "lamp")
            await central.shutDown()
        }
    }

    @Test("A list without a service filter is refused")
    func unfiltered() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(10)) {
            let central = fixture.central()
            #expect(throws: AccessoryError.unfilteredScan) {
                try central.nearby(matching: .name("Strap 0"))
            }
            await central.shutDown()
        }
    }
}

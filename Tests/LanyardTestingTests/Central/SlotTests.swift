// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("A central with few slots")
struct SlotTests {
    @Test("Row 13: says who holds them, and gives them back")
    func exhausted() async throws {
        let kit = Kit(straps: 2)
        try await kit.world.run(for: .seconds(120)) {
            let central = kit.central { $0.connectionLimit = .fixed(1) }
            let first = try await central.pair(Kit.strap)
            let error = await #expect(throws: AccessoryError.self) {
                try await central.pair(Kit.strap)
            }
            guard case .outOfConnectionSlots(let slots) = error else { throw Unexpected(error) }
            #expect(slots.limit == 1)
            #expect(slots.holders.map(\.identity) == [first.id])
            try await first.disconnect()
            let second = try await central.pair(Kit.strap)
            #expect(second.state == .ready)
            #expect(second.id != first.id)
            await central.shutDown()
        }
    }

    @Test("Row 13: ends a link of lower priority for one of higher")
    func priority() async throws {
        let kit = Kit(straps: 1)
        var lamp = Kit.strap
        lamp.kind = "lamp"
        lamp.matcher = .service("180F")
        lamp.services = [ServiceDescription("180F", [.read("2A19")])]
        lamp.priority = 5
        kit.world.add(VirtualAccessory("Lamp", services: [.battery(70)]), at: .metres(2))
        try await kit.world.run(for: .seconds(120)) { [lamp] in
            let central = kit.central(Kit.strap, lamp) { $0.connectionLimit = .fixed(1) }
            let strap = try await central.pair(Kit.strap)
            let changes = strap.changes
            let light = try await central.pair(lamp)
            #expect(light.state == .ready)
            for await change in changes where change.reason == .evicted { break }
            // It comes back when there is room.
            try await light.disconnect()
            try await strap.untilReady()
            await central.shutDown()
        }
    }
}

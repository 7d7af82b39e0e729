// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Silent accessories that share few slots")
struct SharingTests {
    /// A sensor that says nothing by itself.
    private static let sensor = AccessoryDescription(
        kind: "sensor",
        matching: .service("180F"),
        services: [ServiceDescription("180F", [.read("2A19")])]
    )

    private func kit() -> Kit {
        Kit(straps: 5) { $0 = VirtualAccessory($0.name, services: [.battery(70)]) }
    }

    /// Pairs all sensors while there is room, and returns a central with three slots that
    /// remembers them.
    private func centralWithThreeSlots(
        _ kit: Kit,
        _ policy: StandardConnectionPolicy = .standard
    ) async throws -> AccessoryCentral {
        let first = kit.central(Self.sensor)
        for _ in 1...5 { _ = try await first.pair(Self.sensor) }
        await first.shutDown()
        let central = kit.central(Self.sensor) {
            $0.connectionLimit = .fixed(3)
            $0.policy = policy
        }
        try await kit.world.advance(by: .seconds(120))
        #expect(central.accessories.count { $0.state == .ready } == 3)
        return central
    }

    @Test("Row 13: Five silent accessories take turns on three links, in slices")
    func turns() async throws {
        let policy = StandardConnectionPolicy()
        let kit = kit()
        try await kit.world.run(for: .seconds(20_000)) {
            let central = try await centralWithThreeSlots(kit, policy)
            let received = ReceivedValues<AccessoryIdentity>()
            let observations = central.accessories.map { accessory in
                accessory.onChange { if $0.state == .ready { received.add(accessory.id) } }
            }
            let calls = kit.count(of: "connect")
            try await kit.world.advance(by: .seconds(3600))
            let perHour = kit.count(of: "connect") - calls
            print("time slice \(policy.timeSlice): \(perHour) reconnects an hour")
            // Three links, each of which changes hands at the end of its slice.
            #expect(perHour <= 3 * 3600 / Int(policy.timeSlice / .seconds(1)))
            #expect(Set(received.values) == Set(central.accessories.map(\.id)))
            for observation in observations { observation.cancel() }
            await central.shutDown()
        }
    }

    @Test("Row 13: No link is ended for waiting accessories that are not in range")
    func absent() async throws {
        let kit = kit()
        try await kit.world.run(for: .seconds(20_000)) {
            let central = try await centralWithThreeSlots(kit)
            let waiting = central.accessories.filter { $0.state != .ready }
            for accessory in waiting {
                let strap = kit.straps.first { $0.name == accessory.name }
                try #require(strap).switchOff()
            }
            let calls = kit.count(of: "connect")
            try await kit.world.advance(by: .seconds(3600))
            #expect(kit.count(of: "connect") == calls)
            #expect(central.accessories.count { $0.state == .ready } == 3)
            // A waiting accessory that returns gets its turn.
            let back = try #require(waiting.first)
            try #require(kit.straps.first { $0.name == back.name }).switchOn()
            try await kit.world.advance(by: .seconds(600))
            #expect(kit.count(of: "connect") > calls)
            await central.shutDown()
        }
    }
}

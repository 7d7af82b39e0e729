// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import Foundation
import Lanyard
import LanyardTesting
import Testing
import VirtualAccessories
import VirtualRadio

/// A phone that was reset: the app remembers its accessory, and the system does not.
@Suite(.eachSystem) struct LostToSystemTests {
    private static let company: UInt16 = 0xFFFF

    /// Runs `body` with a strap in a new world, on a phone without any bonds.
    private func visit(
        _ store: MemoryAccessoryStore,
        _ description: AccessoryDescription,
        seed: UInt64,
        _ body: @escaping @Sendable (AccessoryCentral) async throws -> Accessory
    ) async throws -> AccessoryIdentity {
        let world = TestWorld(seed: seed)
        var profile = SimpleAccessoryProfile.heartRate(name: "Strap")
        profile.manufacturerData = .init(company: Self.company, bytes: [1, 2, 3, 4])
        try world.air.world.addController(
            ControllerConfiguration(name: "Strap", at: Position(x: 1, y: 0)),
            host: SimpleAccessory(profile)
        )
        var configuration = world.phone.configuration
        configuration.store = store
        return try await world.run(for: .seconds(120)) { [configuration] in
            let central = AccessoryCentral(for: [description], configuration: configuration)
            let accessory = try await body(central)
            #expect(accessory.state == .ready)
            #expect(central.accessories.map(\.id) == [accessory.id])
            await central.shutDown()
            return accessory.id
        }
    }

    @Test("Row 7: An accessory that the system no longer knows is forgotten and paired again")
    func pairsAnew() async throws {
        let store = MemoryAccessoryStore()
        let first = try await visit(store, .strap, seed: 7) { try await $0.accessory(.strap) }
        #expect(store.load().accessories.map(\.identity) == [first])
        let second = try await visit(store, .strap, seed: 8) { try await $0.accessory(.strap) }
        #expect(first != second)
        #expect(store.load().accessories.map(\.identity) == [second])
    }

    @Test("Row 14: An accessory with a manufacturer identity is found after the system has lost it")
    func recognized() async throws {
        let store = MemoryAccessoryStore()
        var strap = AccessoryDescription.strap
        strap.identity = .manufacturerData(company: Self.company, range: 0..<4)
        let description = strap
        let first = try await visit(store, description, seed: 7) {
            try await $0.accessory(description)
        }
        let second = try await visit(store, description, seed: 8) { central in
            let known = try #require(central.accessories.first)
            try await known.untilReady()
            return known
        }
        #expect(first == second)
    }
}

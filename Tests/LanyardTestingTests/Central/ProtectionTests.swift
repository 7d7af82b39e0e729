// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Accessories that must be paired", .eachSystem)
struct ProtectionTests {
    private static let lock = VirtualAccessory(
        "Lock",
        services: [VirtualService("1C00", [.readable("1C01", [1]).protected()])],
        pairing: .withoutQuestions
    )

    private static var description: AccessoryDescription {
        var description = AccessoryDescription(
            kind: "lock",
            matching: .service("1C00"),
            services: [ServiceDescription("1C00", [.read("1C01")])]
        )
        description.pairing = .required(probing: "1C01")
        return description
    }

    @Test("Row 12: An accessory is ready once the system has paired with it")
    func pairs() async throws {
        let fixture = CentralFixture(straps: 0)
        fixture.world.add(Self.lock, at: .meters(1))
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central(Self.description)
            let lock = try await central.pair(Self.description)
            let value = try await lock.read("1C01")
            #expect(value == Data([1]))
            await central.shutDown()
        }
    }

    @Test("Row 12: An accessory that does not pair is refused with the reason")
    func refuses() async throws {
        let fixture = CentralFixture(straps: 0)
        fixture.world.add(Self.lock.with { $0.pairing = .refused }, at: .meters(1))
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central(Self.description)
            await #expect(throws: AccessoryError.notPaired) {
                try await central.pair(Self.description)
            }
            #expect(central.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("Row 12: A pairing directly after a failed one is an attempt of its own")
    func again() async throws {
        let fixture = CentralFixture(straps: 0)
        fixture.world.add(Self.lock.with { $0.pairing = .refused }, at: .meters(1))
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central(Self.description)
            await #expect(throws: AccessoryError.notPaired) {
                try await central.pair(Self.description)
            }
            // The link of the failed pairing is being ended.
            await #expect(throws: AccessoryError.notPaired) {
                try await central.accessory(Self.description)
            }
            await central.shutDown()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Lanyard
import LanyardTesting
import Testing

@Suite("Power and permission", .eachSystem)
struct PowerTests {
    @Test("Row 1: A call while Bluetooth is off waits and continues by itself")
    func off() async throws {
        let world = TestWorld(seed: 11)
        world.add(.strap)
        world.phone.isPoweredOn = false
        try await world.run {
            let central = world.phone.central(.strap)
            async let paired = central.pair(.strap)
            try await world.expect("the power-off is reported", within: .seconds(2)) {
                central.availability == .poweredOff
            }
            try await world.advance(by: .seconds(600))
            #expect(central.accessories.isEmpty)

            world.phone.isPoweredOn = true
            let strap = try await paired
            #expect(central.availability == .poweredOn)
            try await world.expect(strap, becomes: .ready, within: .zero)

            world.phone.isPoweredOn = false
            try await world.expect(strap, becomes: .poweredOff, within: .seconds(1))
            world.phone.isPoweredOn = true
            try await world.expect(strap, becomes: .ready, within: .seconds(10))
        }
    }

    @Test("Row 1: An accessory is not ready until a revoked permission is granted again")
    func denied() async throws {
        let world = TestWorld(seed: 12)
        world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            let strap = try await central.pair(.strap)
            world.phone.isAuthorized = false
            try await world.expect(strap, becomes: .unauthorized, within: .seconds(1))
            #expect(central.availability == .unauthorized)
            try await world.expectNever(strap, becomes: .ready, for: .seconds(600))
            world.phone.isAuthorized = true
            try await world.expect(strap, becomes: .ready, within: .seconds(10))
        }
    }

    @Test("Row 1: A failed controller is restarted, and its accessories reconnect")
    func reset() async throws {
        let world = TestWorld(seed: 13)
        world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            let strap = try await central.pair(.strap)
            world.phone.resetController()
            try await world.expect("the reset is noticed", within: .seconds(60)) {
                strap.state != .ready
            }
            try await world.expect(strap, becomes: .ready, within: .seconds(60))
        }
    }
}

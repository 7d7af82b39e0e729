// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Exploring an accessory", .eachSystem)
struct ExploringTests {
    /// Returns a fixture whose strap has a service that no description declares, a secondary
    /// service that it includes, and descriptors.
    private static func fixture() -> CentralFixture {
        CentralFixture { strap in
            strap.services[0].characteristics[2] = .writable("2A39")
                .described(as: "Commands").withResponse()
            strap.services += [
                VirtualService("1B20", [.readable("1B21", [7])]).secondary(),
                VirtualService(
                    "1B30",
                    [.readable("1B31", [8]).described(as: "Hidden"), .indicating("1B32")]
                ).including("1B20", "180F"),
            ]
        }
    }

    @Test("Undeclared and included services are found, with characteristics and descriptors")
    func everything() async throws {
        let fixture = Self.fixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let services = try await strap.discoverServices()
            // The system hides the services that it uses itself.
            #expect(services.map(\.identifier) == ["180D", "180F", "1B30", "1B20"])
            #expect(services.filter { !$0.isPrimary }.map(\.identifier) == ["1B20"])
            let undeclared = try #require(services.first { $0.identifier == "1B30" })
            #expect(undeclared.includedServices == ["180F", "1B20"])
            #expect(undeclared.characteristics.map(\.identifier) == ["1B31", "1B32"])
            #expect(undeclared.characteristics.map(\.service) == ["1B30", "1B30"])
            #expect(undeclared.characteristics[0].properties == .read)
            #expect(undeclared.characteristics[1].properties == [.read, .indicate])
            #expect(undeclared.characteristics[1].descriptors.map(\.identifier) == ["2902"])
            #expect(try await strap.read(undeclared.characteristics[0]) == Data([8]))
            let text = try #require(undeclared.characteristics[0].descriptors.first)
            #expect(text.characteristic == "1B31")
            #expect(try await strap.read(text) == .text("Hidden"))
            let secondary = try #require(services.last?.characteristics.first)
            #expect(try await strap.read(secondary) == Data([7]))
            // The discovery does not change the state, and declared values can still be read.
            #expect(strap.state == .ready)
            #expect(try await strap.read("2A38") == Data([1]))
            await central.shutDown()
        }
    }

    @Test("The descriptors of a declared characteristic can be read")
    func descriptors() async throws {
        let fixture = Self.fixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let text = try await strap.descriptors(of: "2A39")
            #expect(text.map(\.identifier) == ["2901"])
            #expect(try await strap.read(text[0]) == .text("Commands"))
            let configuration = try await strap.descriptors(of: "2A37")
            #expect(configuration.map(\.identifier) == ["2902"])
            #expect(try await strap.read(configuration[0]) == .number(1))
            await #expect(throws: AccessoryError.unknownCharacteristic("1B31")) {
                try await strap.descriptors(of: "1B31")
            }
            await central.shutDown()
        }
    }

    @Test("Attributes of an earlier link and reads without permission are refused")
    func stale() async throws {
        let fixture = Self.fixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let services = try await strap.discoverServices()
            let commands = try #require(
                services.first { $0.identifier == "180D" }?.characteristics
                    .first { $0.identifier == "2A37" }
            )
            await #expect(throws: AccessoryError.notPermitted("2A37")) {
                try await strap.read(commands)
            }
            let level = try await level(of: strap)
            #expect(try await strap.read(level) == Data([80]))
            try await strap.disconnect()
            await #expect(throws: AccessoryError.notConnected) { try await strap.read(level) }
            await #expect(throws: AccessoryError.notConnected) {
                try await strap.discoverServices()
            }
            strap.connect()
            try await strap.untilReady()
            await #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                try await strap.read(level)
            }
            await central.shutDown()
        }
    }

    @Test("The attributes of a removed service are invalid")
    func changed() async throws {
        let fixture = Self.fixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let found = try await strap.discoverServices()
            let undeclared = try #require(
                found.first { $0.identifier == "1B30" }?.characteristics.first
            )
            fixture.straps[0].removeService("1B30")
            try await fixture.world.advance(by: .seconds(1))
            try await strap.untilReady()
            await #expect(throws: AccessoryError.unknownCharacteristic("1B31")) {
                try await strap.read(undeclared)
            }
            let services = try await strap.discoverServices()
            #expect(services.map(\.identifier) == ["180D", "180F"])
            await central.shutDown()
        }
    }

    @Test("A discovery of all services does not get the answer to a discovery of the library")
    func simultaneous() async throws {
        let fixture = CentralFixture { strap in
            // The library searches for a missing service of the description after each change.
            strap.services[1] = VirtualService("1B30", [.readable("1B31", [8])])
        }
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let count = fixture.count(of: "discoverServices")
            fixture.straps[0].addService(VirtualService("1B20", [.readable("1B21", [7])]))
            while fixture.count(of: "discoverServices") == count {
                try await fixture.world.advance(by: .milliseconds(1))
            }
            #expect(strap.state == .ready)
            let services = try await strap.discoverServices()
            #expect(services.map(\.identifier) == ["180D", "1B30", "1B20"])
            await central.shutDown()
        }
    }

    @Test("A canceled request does not disturb the next ones")
    func cancelled() async throws {
        let fixture = Self.fixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let level = try await level(of: strap)
            fixture.straps[0].disturb(losing: 1)
            let reading = Task { try await strap.read(level) }
            try await fixture.world.advance(by: .milliseconds(50))
            reading.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await reading.value }
            fixture.straps[0].disturb(losing: 0)
            async let first = strap.discoverServices()
            async let second = strap.discoverServices()
            let (one, other) = try await (first, second)
            #expect(one == other)
            #expect(one.count == 4)
            #expect(try await strap.read(level) == Data([80]))
            await central.shutDown()
        }
    }
}

/// Discovers the level of the battery.
private func level(of strap: Accessory) async throws -> DiscoveredCharacteristic {
    let services = try await strap.discoverServices()
    let battery = try #require(services.first { $0.identifier == "180F" })
    return try #require(battery.characteristics.first)
}

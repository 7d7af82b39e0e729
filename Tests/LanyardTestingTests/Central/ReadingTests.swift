// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Reading from an accessory", .eachSystem)
struct ReadingTests {
    @Test("Values can be read one after the other and concurrently")
    func reads() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let level = try await strap.read("2A19")
            #expect(level == Data([80]))
            let all = try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<20 { group.addTask { try await strap.read("2A38") } }
                return try await group.reduce(into: [Data]()) { $0.append($1) }
            }
            #expect(all == Array(repeating: Data([1]), count: 20))
            await central.shutDown()
        }
    }

    @Test("A value that cannot be read is refused with the reason")
    func refusals() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            await #expect(throws: AccessoryError.unknownCharacteristic("2A00")) {
                try await strap.read("2A00")
            }
            await #expect(throws: AccessoryError.notPermitted("1B01")) {
                try await strap.read("1B01")
            }
            try await strap.disconnect()
            await #expect(throws: AccessoryError.notConnected) { try await strap.read("2A38") }
            await central.shutDown()
            await #expect(throws: AccessoryError.shutDown) { try await strap.read("2A38") }
        }
    }

    @Test("The values of an undescribed characteristic are refused")
    func undescribedValues() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            #expect(throws: AccessoryError.unknownCharacteristic("2A99")) {
                _ = try strap.values(of: "2A99")
            }
            #expect(throws: AccessoryError.unknownCharacteristic("2A1C")) {
                _ = try strap.values(of: TemperatureMeasurement.self)
            }
            await central.shutDown()
        }
    }

    @Test("The signal strength depends on the distance")
    func signal() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let near = try await strap.rssi()
            fixture.straps[0].walk(to: .meters(8))
            try await fixture.world.advance(by: .seconds(2))
            let far = try await strap.rssi()
            #expect(far < near)
            await central.shutDown()
        }
    }

    @Test("A request ends at its timeout, and when its task is canceled")
    func ends() async throws {
        let fixture = CentralFixture()
        var description = CentralFixture.strap
        description.timeouts.requests = .seconds(2)
        try await fixture.world.run(for: .seconds(60)) { [description] in
            let central = fixture.central(description)
            let strap = try await central.pair(description)
            // The accessory does not receive the request; the link survives that.
            fixture.straps[0].disturb(losing: 1)
            let cancelled = Task { try await strap.read("2A38") }
            try await fixture.world.advance(by: .milliseconds(500))
            cancelled.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await cancelled.value }
            let begin = fixture.world.now
            await #expect(throws: AccessoryError.requestTimedOut(after: .seconds(2))) {
                try await strap.read("2A38")
            }
            #expect(fixture.world.now - begin == .seconds(2))
            await central.shutDown()
        }
    }

    @Test("Each request gets its own answer, even after a canceled one")
    func order() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let strap = try await central.pair(CentralFixture.strap)
            let first = Task { try await strap.read("2A19") }
            try await fixture.world.advance(by: .milliseconds(1))
            first.cancel()
            let level = try await strap.read("2A19")
            let place = try await strap.read("2A38")
            #expect(level == Data([80]))
            #expect(place == Data([1]))
            await central.shutDown()
        }
    }
}

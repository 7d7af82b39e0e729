// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Pairing through a central", .eachSystem)
struct PairingTests {
    @Test("Two concurrent requests for an accessory pair it once")
    func together() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            async let one = central.accessory(CentralFixture.strap)
            async let other = central.accessory(CentralFixture.strap)
            let (first, second) = try await (one, other)
            #expect(first === second)
            #expect(central.accessories.count == 1)
            await central.shutDown()
        }
    }

    @Test("Pairing uses the given description, not only its kind")
    func givenDescription() async throws {
        let fixture = CentralFixture(straps: 3)
        try await fixture.world.run(for: .seconds(120)) {
            let first = CentralFixture.strap.with {
                $0.matcher = .all(.service("180D"), .name("Strap 0"))
            }
            let second = CentralFixture.strap.with {
                $0.matcher = .all(.service("180D"), .name("Strap 1"))
                $0.services = [ServiceDescription("180D", [.read("2A38")])]
            }
            let third = CentralFixture.strap.with {
                $0.matcher = .all(.service("180D"), .name("Strap 2"))
            }
            let central = fixture.central(first)
            async let two = central.pair(second)
            async let three = central.pair(third)
            let (strapTwo, strapThree) = try await (two, three)
            #expect(strapTwo.name == "Strap 1")
            #expect(strapThree.name == "Strap 2")
            #expect(strapTwo.description.services == second.services)
            #expect(try await strapTwo.read("2A38") == Data([1]))
            await #expect(throws: AccessoryError.unknownCharacteristic("2A19")) {
                try await strapTwo.read("2A19")
            }
            let strapOne = try await central.pair(first)
            #expect(strapOne.name == "Strap 0")
            // The next launch finds all of them by their kind.
            await central.shutDown()
            let later = fixture.central(first)
            for strap in later.accessories { try await strap.untilReady() }
            #expect(later.accessories.count == 3)
            #expect(try await later.accessories[1].read("2A19") == Data([80]))
            await later.shutDown()
        }
    }

    @Test("A shared pairing continues when the call that started it is canceled")
    func takenOver() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            let one = Task { try await central.accessory(CentralFixture.strap) }
            async let other = central.accessory(CentralFixture.strap)
            one.cancel()
            let strap = try await other
            #expect(strap.state == .ready)
            await central.shutDown()
        }
    }

    @Test("A search finds an accessory that comes nearer")
    func nearer() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            fixture.straps[0].walk(to: .meters(20))
            try await fixture.world.advance(by: .seconds(1))
            var near = CentralFixture.strap
            near.matcher = .all(.service("180D"), .signal(atLeast: -65))
            let central = fixture.central(near)
            fixture.world.later(.seconds(5)) { fixture.straps[0].walk(to: .meters(1)) }
            let strap = try await central.pair(near)
            #expect(strap.state == .ready)
            await central.shutDown()
        }
    }

    @Test("Row 2: A search without a result ends after its timeout and stops the scan")
    func noResult() async throws {
        let fixture = CentralFixture(straps: 0)
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(CentralFixture.strap)
            }
            #expect(fixture.world.now == .seconds(10))
            #expect(central.accessories.isEmpty)
            #expect(fixture.lastCall == "stopScan")
            await central.shutDown()
        }
    }

    @Test("Row 10: A canceled pairing ends at once, and no accessory is remembered")
    func cancelled() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let attempt = Task { try await central.pair(CentralFixture.strap) }
            for await state in central.availabilityChanges where state == .poweredOn { break }
            try await fixture.world.advance(by: .milliseconds(300))
            attempt.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await attempt.value }
            #expect(fixture.world.now < .milliseconds(400))
            try await fixture.world.advance(by: .seconds(5))
            #expect(central.accessories.isEmpty)
            #expect(fixture.lastCall == "cancelPeripheralConnection")
            #expect(fixture.store.accessories.isEmpty)
            // The earlier state is restored, so another attempt succeeds.
            let strap = try await central.pair(CentralFixture.strap)
            #expect(strap.state == .ready)
            await central.shutDown()
        }
    }

    @Test("Row 14: Two accessories of one kind are paired, each once")
    func two() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            async let one = central.pair(CentralFixture.strap)
            async let other = central.pair(CentralFixture.strap)
            let names = try await [one.name, other.name]
            #expect(Set(names) == ["Strap 0", "Strap 1"])
            #expect(central.accessories.count == 2)
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(CentralFixture.strap)
            }
            await central.shutDown()
        }
    }

    @Test("Row 1: Pairing waits for Bluetooth and continues by itself")
    func powerOff() async throws {
        let fixture = CentralFixture()
        fixture.world.phone.isPoweredOn = false
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let attempt = Task { try await central.pair(CentralFixture.strap) }
            for await state in central.availabilityChanges where state == .poweredOff { break }
            try await fixture.world.advance(by: .seconds(20))
            #expect(central.availability == .poweredOff)
            fixture.world.phone.isPoweredOn = true
            #expect(try await attempt.value.state == .ready)
            await central.shutDown()
        }
    }

    @Test("Row 1: Pairing is refused if the app may not use Bluetooth")
    func unauthorized() async throws {
        let fixture = CentralFixture()
        fixture.world.phone.isAuthorized = false
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            await #expect(throws: AccessoryError.unauthorized) {
                try await central.pair(CentralFixture.strap)
            }
            #expect(central.availability == .unauthorized)
            await central.shutDown()
        }
    }

    @Test("Row 2: An unfiltered scan is refused unless the configuration allows it")
    func unfiltered() async throws {
        let fixture = CentralFixture()
        let anything = AccessoryDescription(
            kind: "anything",
            matching: .name("Strap 0"),
            services: CentralFixture.strap.services
        )
        try await fixture.world.run(for: .seconds(60)) {
            let strict = fixture.central(anything)
            await #expect(throws: AccessoryError.unfilteredScan) { try await strict.pair(anything) }
            #expect(throws: AccessoryError.unfilteredScan) {
                try strict.presence(matching: .signal(atLeast: -80))
            }
            await strict.shutDown()
            let generous = fixture.central(anything) {
                $0.name = "generous"
                $0.allowsUnfilteredScans = true
            }
            let found = try await generous.pair(anything)
            #expect(found.name == "Strap 0")
            await generous.shutDown()
        }
    }

    @Test("Pairing is refused for a kind without a description")
    func unknownKind() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            var other = CentralFixture.strap
            other.kind = "lamp"
            await #expect(throws: AccessoryError.unknownKind("lamp")) {
                try await central.pair(other)
            }
            await central.shutDown()
        }
    }

    @Test("Row 4: Pairing fails if a required characteristic is missing")
    func incomplete() async throws {
        let fixture = CentralFixture()
        var wanting = CentralFixture.strap
        wanting.services[0].characteristics.append(.read("2A99"))
        try await fixture.world.run(for: .seconds(60)) { [wanting] in
            let central = fixture.central(wanting)
            let error = await #expect(throws: AccessoryError.self) {
                try await central.pair(wanting)
            }
            guard case .attemptFailed(let failure) = error else { throw CancellationError() }
            #expect(failure.kind == .incomplete)
            #expect(error?.failureReason == "It lacks 2A99.")
            #expect(central.accessories.isEmpty)
            await central.shutDown()
        }
    }
}

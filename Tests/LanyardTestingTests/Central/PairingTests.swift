// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Pairing through a central")
struct PairingTests {
    @Test("is done once for two who ask for the accessory at a time")
    func together() async throws {
        let kit = Kit(straps: 2)
        try await kit.world.run(for: .seconds(120)) {
            let central = kit.central()
            async let one = central.accessory(Kit.strap)
            async let other = central.accessory(Kit.strap)
            let (first, second) = try await (one, other)
            #expect(first === second)
            #expect(central.accessories.count == 1)
            await central.shutDown()
        }
    }

    @Test("goes on for who waits when who began has called it off")
    func takenOver() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            let central = kit.central()
            let one = Task { try await central.accessory(Kit.strap) }
            async let other = central.accessory(Kit.strap)
            one.cancel()
            let strap = try await other
            #expect(strap.state == .ready)
            await central.shutDown()
        }
    }

    @Test("finds one that comes nearer while it is looked for")
    func nearer() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            kit.straps[0].walk(to: .metres(20))
            try await kit.world.advance(by: .seconds(1))
            var near = Kit.strap
            near.matcher = .all(.service("180D"), .signal(atLeast: -65))
            let central = kit.central(near)
            kit.world.later(.seconds(5)) { kit.straps[0].walk(to: .metres(1)) }
            let strap = try await central.pair(near)
            #expect(strap.state == .ready)
            await central.shutDown()
        }
    }

    @Test("Row 2: that finds nobody says so after the scanning time-out, and leaves nothing behind")
    func nobody() async throws {
        let kit = Kit(straps: 0)
        try await kit.world.run(for: .seconds(60)) {
            let central = kit.central()
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(Kit.strap)
            }
            #expect(kit.world.now == .seconds(10))
            #expect(central.accessories.isEmpty)
            #expect(kit.lastCall == "stopScan")
            await central.shutDown()
        }
    }

    @Test("Row 10: that is cancelled ends at once, and leaves nothing behind")
    func cancelled() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(60)) {
            let central = kit.central()
            let attempt = Task { try await central.pair(Kit.strap) }
            for await state in central.availabilityChanges where state == .poweredOn { break }
            try await kit.world.advance(by: .milliseconds(300))
            attempt.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await attempt.value }
            #expect(kit.world.now < .milliseconds(400))
            try await kit.world.advance(by: .seconds(5))
            #expect(central.accessories.isEmpty)
            #expect(kit.lastCall == "cancelPeripheralConnection")
            #expect(kit.store.accessories.isEmpty)
            // All is as it was: another attempt succeeds.
            let strap = try await central.pair(Kit.strap)
            #expect(strap.state == .ready)
            await central.shutDown()
        }
    }

    @Test("Row 14: pairs two of a kind, each once")
    func two() async throws {
        let kit = Kit(straps: 2)
        try await kit.world.run(for: .seconds(60)) {
            let central = kit.central()
            async let one = central.pair(Kit.strap)
            async let other = central.pair(Kit.strap)
            let names = try await [one.name, other.name]
            #expect(Set(names) == ["Strap 0", "Strap 1"])
            #expect(central.accessories.count == 2)
            await #expect(throws: AccessoryError.notFound(after: .seconds(10))) {
                try await central.pair(Kit.strap)
            }
            await central.shutDown()
        }
    }

    @Test("Row 1: waits for Bluetooth, and goes on by itself")
    func powerOff() async throws {
        let kit = Kit()
        kit.world.phone.isPoweredOn = false
        try await kit.world.run(for: .seconds(60)) {
            let central = kit.central()
            let attempt = Task { try await central.pair(Kit.strap) }
            for await state in central.availabilityChanges where state == .poweredOff { break }
            try await kit.world.advance(by: .seconds(20))
            #expect(central.availability == .poweredOff)
            kit.world.phone.isPoweredOn = true
            #expect(try await attempt.value.state == .ready)
            await central.shutDown()
        }
    }

    @Test("Row 1: is refused where the application may not use Bluetooth")
    func unauthorized() async throws {
        let kit = Kit()
        kit.world.phone.isAuthorized = false
        try await kit.world.run(for: .seconds(60)) {
            let central = kit.central()
            await #expect(throws: AccessoryError.unauthorized) { try await central.pair(Kit.strap) }
            #expect(central.availability == .unauthorized)
            await central.shutDown()
        }
    }

    @Test("Row 2: does not scan for everything unless it is allowed to")
    func unfiltered() async throws {
        let kit = Kit()
        let anything = AccessoryDescription(
            kind: "anything",
            matching: .name("Strap 0"),
            services: Kit.strap.services
        )
        try await kit.world.run(for: .seconds(60)) {
            let strict = kit.central(anything)
            await #expect(throws: AccessoryError.unfilteredScan) { try await strict.pair(anything) }
            #expect(throws: AccessoryError.unfilteredScan) {
                try strict.presence(matching: .signal(atLeast: -80))
            }
            await strict.shutDown()
            let generous = kit.central(anything) {
                $0.name = "generous"
                $0.allowsUnfilteredScans = true
            }
            let found = try await generous.pair(anything)
            #expect(found.name == "Strap 0")
            await generous.shutDown()
        }
    }

    @Test("of a kind that was not described is refused")
    func unknownKind() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(60)) {
            let central = kit.central()
            var other = Kit.strap
            other.kind = "lamp"
            await #expect(throws: AccessoryError.unknownKind("lamp")) {
                try await central.pair(other)
            }
            await central.shutDown()
        }
    }

    @Test("Row 4: fails at once with one that lacks what is required")
    func incomplete() async throws {
        let kit = Kit()
        var wanting = Kit.strap
        wanting.services[0].characteristics.append(.read("2A99"))
        try await kit.world.run(for: .seconds(60)) { [wanting] in
            let central = kit.central(wanting)
            let error = await #expect(throws: AccessoryError.self) {
                try await central.pair(wanting)
            }
            guard case .attemptFailed(let failure) = error else { throw CancellationError() }
            #expect(failure.kind == .incomplete)
            #expect(central.accessories.isEmpty)
            await central.shutDown()
        }
    }
}

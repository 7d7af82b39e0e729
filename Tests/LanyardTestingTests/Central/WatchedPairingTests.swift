// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("A pairing that a screen shows", .eachSystem)
struct WatchedPairingTests {
    @Test("A pairing shows every state with its reason, and its progress only grows")
    func states() async throws {
        let world = TestWorld(seed: 5)
        world.add(.lock)
        try await world.run(for: .seconds(120)) {
            let central = world.phone.central(.lock)
            let pairing = try central.pairing(.lock)
            var changes: [AccessoryChange] = []
            for await change in pairing.changes { changes.append(change) }
            let states = changes.reduce(into: [AccessoryState]()) { states, change in
                if states.last != change.state { states.append(change.state) }
            }
            #expect(
                states == [
                    .idle, .restoring, .scanning, .connecting,
                    .discoveringServices, .discoveringCharacteristics, .subscribing, .connected,
                    .ready,
                ]
            )
            #expect(changes.contains { $0.reason == .found })
            #expect(changes.contains { $0.reason == .subscribed })
            let progress = changes.map(\.state.progress)
            #expect(progress == progress.sorted() && progress.last == 1)
            #expect(pairing.name == "Lock")
            let lock = try await pairing.accessory()
            #expect(try pairing.result?.get() === lock)
            #expect(central.accessories.map(\.id) == [lock.id])
        }
    }

    @Test("A pairing with a chosen device has its name from the beginning")
    func named() async throws {
        let fixture = CentralFixture(straps: 2)
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central()
            var chosen: NearbyDevice?
            for await list in try central.nearby(matching: .service("180D")) {
                chosen = list.devices.first { $0.name == "Strap 1" }
                if chosen != nil { break }
            }
            let device = try #require(chosen)
            let pairing = try central.pairing(CentralFixture.strap, with: device)
            #expect(pairing.name == "Strap 1")
            #expect(try await pairing.accessory().id == device.id)
            await central.shutDown()
        }
    }

    @Test("Row 10: A canceled pairing ends its sequence, and no accessory is remembered")
    func cancelled() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let pairing = try central.pairing(CentralFixture.strap)
            for await change in pairing.changes where change.state == .connecting {
                pairing.cancel()
            }
            #expect(throws: AccessoryError.cancelled) { try pairing.result?.get() }
            await #expect(throws: AccessoryError.cancelled) { try await pairing.accessory() }
            try await fixture.world.advance(by: .seconds(5))
            #expect(central.accessories.isEmpty)
            #expect(fixture.store.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("A pairing that the app releases ends")
    func released() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            do {
                let pairing = try central.pairing(CentralFixture.strap)
                for await change in pairing.changes where change.state == .connecting { break }
            }
            try await fixture.world.advance(by: .seconds(5))
            #expect(central.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("Cancellation of a task that waits for a pairing cancels the pairing")
    func waiterCancelled() async throws {
        let fixture = CentralFixture(straps: 0)
        try await fixture.world.run(for: .seconds(60)) {
            let central = fixture.central()
            let pairing = try central.pairing(CentralFixture.strap)
            let waiter = Task { try await pairing.accessory() }
            for await change in pairing.changes where change.state == .scanning { break }
            waiter.cancel()
            await #expect(throws: AccessoryError.cancelled) { try await waiter.value }
            #expect(fixture.world.now < .seconds(1))
            await central.shutDown()
        }
    }

    @Test("An undescribed kind is refused at once")
    func unknownKind() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(10)) {
            let central = fixture.central()
            #expect(throws: AccessoryError.unknownKind("lamp")) {
                _ = try central.pairing(CentralFixture.strap.with { $0.kind = "lamp" })
            }
            await central.shutDown()
        }
    }

    // MARK: The total limit

    @Test("A pairing fails within the total limit, in whichever step its accessory vanishes")
    func vanished() async throws {
        for state in [
            AccessoryState.connecting, .discoveringServices, .discoveringCharacteristics,
            .subscribing,
        ] {
            try await vanishes(in: state)
        }
    }

    private func vanishes(in state: AccessoryState) async throws {
        let fixture = CentralFixture()
        let limit = Duration.seconds(15)
        let strap = CentralFixture.strap.with { $0.timeouts.firstPairing = limit }
        try await fixture.world.run(for: .seconds(120)) {
            let central = fixture.central(strap)
            let pairing = try central.pairing(strap)
            var start = Duration.zero
            for await change in pairing.changes {
                if change.state == .scanning { start = fixture.world.now }
                guard change.state == state else { continue }
                fixture.straps[0].switchOff()
                break
            }
            let error = await #expect(throws: AccessoryError.self) {
                try await pairing.accessory()
            }
            let time = fixture.world.now - start
            print("vanished while \(state): \(time) until \(error.map { "\($0)" } ?? "success")")
            #expect(time <= limit)
            try await fixture.world.advance(by: .seconds(10))
            #expect(central.accessories.isEmpty)
            await central.shutDown()
        }
    }

    @Test("The total limit ends the scan of a pairing before the timeout of the scan")
    func limited() async throws {
        let fixture = CentralFixture()
        let strap = CentralFixture.strap.with {
            $0.timeouts.firstPairing = .seconds(15)
            $0.timeouts.scanning = .seconds(60)
        }
        try await fixture.world.run(for: .seconds(120)) {
            fixture.straps[0].switchOff()
            let central = fixture.central(strap)
            await #expect(throws: AccessoryError.notFound(after: .seconds(15))) {
                try await central.pair(strap)
            }
            #expect(fixture.world.now == .seconds(15))
            #expect(fixture.lastCall == "stopScan")
            await central.shutDown()
        }
    }

    @Test("The total limit begins again when Bluetooth returns")
    func powerOff() async throws {
        let fixture = CentralFixture(straps: 0)
        let strap = CentralFixture.strap.with {
            $0.timeouts.firstPairing = .seconds(15)
            $0.timeouts.scanning = .seconds(60)
        }
        try await fixture.world.run(for: .seconds(200)) {
            let central = fixture.central(strap)
            let pairing = try central.pairing(strap)
            for await change in pairing.changes where change.state == .scanning { break }
            fixture.world.phone.isPoweredOn = false
            try await fixture.world.advance(by: .seconds(60))
            #expect(pairing.result == nil)
            fixture.world.phone.isPoweredOn = true
            let back = fixture.world.now
            await #expect(throws: AccessoryError.notFound(after: .seconds(15))) {
                try await pairing.accessory()
            }
            #expect(fixture.world.now - back < .seconds(16))
            await central.shutDown()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("A central that takes over a running manager")
struct AdoptionTests {
    /// Runs an app that is connected to the straps of the fixture.
    private func connectedApp(_ fixture: CentralFixture) async throws -> FormerApp {
        let app = FormerApp(on: fixture.world.phone)
        try await app.wait(for: "value", count: fixture.straps.count * 2, in: fixture.world)
        try await app.wait(for: "discovered", count: fixture.straps.count * 2, in: fixture.world)
        return app
    }

    private func adopt(
        _ app: FormerApp,
        _ peripherals: [AdoptedPeripheral],
        for descriptions: [AccessoryDescription] = [CentralFixture.strap],
        _ fixture: CentralFixture
    ) throws(AdoptionError) -> AccessoryCentral {
        var configuration = fixture.world.phone.configuration
        configuration.store = fixture.store
        configuration.recorder = fixture.recorder
        return try AccessoryCentral(
            adopting: app.manager,
            on: app.queue,
            with: peripherals,
            for: descriptions,
            configuration: configuration
        )
    }

    @Test("Links, services and subscriptions continue, and nothing is requested twice")
    func takesOver() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let app = try await connectedApp(fixture)
            let strapOfApp = AdoptedPeripheral(
                try #require(app.peripherals.first),
                as: CentralFixture.strap
            )
            let central = try adopt(app, [strapOfApp], fixture)
            let strap = try #require(central.accessories.first)
            try await strap.untilReady()
            #expect(fixture.count(of: "connect") == 0, "\(fixture.log)")
            #expect(fixture.count(of: "discover") == 0, "\(fixture.log)")
            #expect(fixture.count(of: "setNotifyValue true 2A37") == 0, "\(fixture.log)")
            #expect(fixture.count(of: "setNotifyValue true 1B01") == 1, "\(fixture.log)")
            #expect(app.manager.isScanning == false)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            let received = app.events.values
            // The central keeps the strap connected from now on.
            fixture.straps[0].dropLink()
            try await fixture.world.expect("the end is noticed", within: .seconds(5)) {
                strap.state != .ready
            }
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(10))
            #expect(app.events.values == received)
            #expect(fixture.store.load().accessories.map(\.kind) == ["strap"])
            await central.shutDown()
        }
    }

    @Test("The manager is returned with its delegates, and its links stay open")
    func givesBack() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let app = try await connectedApp(fixture)
            let peripheral = try #require(app.peripherals.first)
            for _ in 1...2 {
                let central = try adopt(
                    app,
                    [AdoptedPeripheral(peripheral, as: CentralFixture.strap)],
                    fixture
                )
                try await #require(central.accessories.first).untilReady()
                let count = app.events.values.count
                let given = ReceivedValues<UUID>()
                try await central.relinquishManager { peripherals in
                    for peripheral in peripherals { given.add(peripheral.identifier) }
                }
                #expect(given.values == [peripheral.identifier])
                #expect(central.accessories.isEmpty)
                #expect(app.manager.delegate === app)
                #expect(peripheral.delegate === app)
                #expect(peripheral.state == .connected)
                try await app.wait(for: "value", count: count + 3, in: fixture.world)
                #expect(!app.events.values.contains("disconnected"))
                #expect(await fixture.straps[0].linkCount == 1)
                await #expect(throws: AdoptionError.notAdopted) {
                    try await central.relinquishManager()
                }
            }
            app.manager.cancelPeripheralConnection(peripheral)
            try await app.wait(for: "disconnected", in: fixture.world)
        }
    }

    @Test("A remembered accessory is connected with the manager of the app")
    func remembered() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let former = fixture.central()
            let id = try await former.pair(CentralFixture.strap).id
            await former.shutDown()
            let app = FormerApp(on: fixture.world.phone)
            let central = try adopt(app, [], fixture)
            let strap = try #require(central.knownAccessory(CentralFixture.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            #expect(!app.events.values.contains("connected"))
            try await central.relinquishManager()
            #expect(app.manager.delegate === app)
        }
    }

    @Test("The end of the central ends the links and returns the manager")
    func shutDown() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let app = try await connectedApp(fixture)
            let peripheral = try #require(app.peripherals.first)
            let central = try adopt(
                app,
                [AdoptedPeripheral(peripheral, as: CentralFixture.strap)],
                fixture
            )
            try await #require(central.accessories.first).untilReady()
            await central.shutDown()
            #expect(app.manager.delegate === app)
            try await app.wait(for: "disconnected", in: fixture.world)
            #expect(peripheral.state == .disconnected)
        }
    }

    @Test("An accessory that is out of range during the takeover is awaited")
    func lostMeanwhile() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(600)) {
            let app = try await connectedApp(fixture)
            let peripheral = try #require(app.peripherals.first)
            fixture.straps[0].walk(to: .outOfRange)
            try await app.wait(for: "disconnected", in: fixture.world)
            app.manager.connect(peripheral)
            let central = try adopt(
                app,
                [AdoptedPeripheral(peripheral, as: CentralFixture.strap)],
                fixture
            )
            let strap = try #require(central.accessories.first)
            try await fixture.world.expect(strap, becomes: .outOfRange, within: .seconds(5))
            fixture.straps[0].comeBack()
            try await fixture.world.expect(strap, becomes: .ready, within: .seconds(30))
            await central.shutDown()
        }
    }

    @Test("A manager or peripheral that cannot be taken over is refused and stays unchanged")
    func refusals() async throws {
        let fixture = CentralFixture()
        try await fixture.world.run(for: .seconds(120)) {
            let app = try await connectedApp(fixture)
            let other = FormerApp(on: fixture.world.phone)
            try await other.wait(for: "on", in: fixture.world)
            let peripheral = try #require(app.peripherals.first)
            // The strap does not advertise while it is connected.
            let held = other.manager.retrieveConnectedPeripherals(
                withServices: [CBUUID(string: "180D")]
            )
            let foreign = try #require(held.first)
            other.manager.connect(foreign)
            let id = peripheral.identifier
            var tag = CentralFixture.strap
            tag.kind = "tag"
            tag.identity = .manufacturerData(company: 0xFFFF, range: 0..<2)
            let strap = AdoptedPeripheral(peripheral, as: CentralFixture.strap)
            #expect(throws: AdoptionError.duplicate(id)) {
                try adopt(app, [strap, strap], fixture)
            }
            #expect(throws: AdoptionError.unknownKind("strap")) {
                try adopt(app, [strap], for: [tag], fixture)
            }
            #expect(throws: AdoptionError.unidentified(kind: "tag")) {
                try adopt(app, [AdoptedPeripheral(peripheral, as: tag)], for: [tag], fixture)
            }
            #expect(throws: AdoptionError.otherManager(id)) {
                try adopt(app, [AdoptedPeripheral(foreign, as: CentralFixture.strap)], fixture)
            }
            #expect(app.manager.delegate === app)
            #expect(peripheral.delegate === app)
            let central = try adopt(app, [strap], fixture)
            try await #require(central.accessories.first).untilReady()
            #expect(throws: AdoptionError.inUse) { try adopt(app, [], fixture) }
            await central.shutDown()
            try await app.wait(for: "disconnected", in: fixture.world)
            other.manager.cancelPeripheralConnection(foreign)
            #expect(throws: AdoptionError.notConnected(id)) { try adopt(app, [strap], fixture) }
            let own = fixture.central()
            await #expect(throws: AdoptionError.notAdopted) { try await own.relinquishManager() }
            await own.shutDown()
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("A central that takes over a running manager")
struct AdoptionTests {
    /// Runs an app that is connected to the straps of the kit.
    private func connectedApp(_ kit: Kit) async throws -> FormerApp {
        let app = FormerApp(on: kit.world.phone)
        try await app.wait(for: "value", count: kit.straps.count * 2, in: kit.world)
        try await app.wait(for: "discovered", count: kit.straps.count * 2, in: kit.world)
        return app
    }

    private func adopt(
        _ app: FormerApp,
        _ peripherals: [AdoptedPeripheral],
        for descriptions: [AccessoryDescription] = [Kit.strap],
        _ kit: Kit
    ) throws(AdoptionError) -> AccessoryCentral {
        var configuration = kit.world.phone.configuration
        configuration.store = kit.store
        configuration.recorder = kit.recorder
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
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            let app = try await connectedApp(kit)
            let strapOfApp = AdoptedPeripheral(try #require(app.peripherals.first), as: Kit.strap)
            let central = try adopt(app, [strapOfApp], kit)
            let strap = try #require(central.accessories.first)
            try await strap.untilReady()
            #expect(kit.count(of: "connect") == 0, "\(kit.log)")
            #expect(kit.count(of: "discover") == 0, "\(kit.log)")
            #expect(kit.count(of: "setNotifyValue true 2A37") == 0, "\(kit.log)")
            #expect(kit.count(of: "setNotifyValue true 1B01") == 1, "\(kit.log)")
            #expect(app.manager.isScanning == false)
            var values = try strap.values(of: "2A37").makeAsyncIterator()
            #expect(await values.next() != nil)
            let received = app.events.values
            // The central keeps the strap connected from now on.
            kit.straps[0].dropLink()
            try await kit.world.expect("the end is noticed", within: .seconds(5)) {
                strap.state != .ready
            }
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(10))
            #expect(app.events.values == received)
            #expect(kit.store.load().accessories.map(\.kind) == ["strap"])
            await central.shutDown()
        }
    }

    @Test("The manager is returned with its delegates, and its links stay open")
    func givesBack() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            let app = try await connectedApp(kit)
            let peripheral = try #require(app.peripherals.first)
            for _ in 1...2 {
                let central = try adopt(
                    app,
                    [AdoptedPeripheral(peripheral, as: Kit.strap)],
                    kit
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
                try await app.wait(for: "value", count: count + 3, in: kit.world)
                #expect(!app.events.values.contains("disconnected"))
                #expect(await kit.straps[0].linkCount == 1)
                await #expect(throws: AdoptionError.notAdopted) {
                    try await central.relinquishManager()
                }
            }
            app.manager.cancelPeripheralConnection(peripheral)
            try await app.wait(for: "disconnected", in: kit.world)
        }
    }

    @Test("A remembered accessory is connected with the manager of the app")
    func remembered() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            let former = kit.central()
            let id = try await former.pair(Kit.strap).id
            await former.shutDown()
            let app = FormerApp(on: kit.world.phone)
            let central = try adopt(app, [], kit)
            let strap = try #require(central.knownAccessory(Kit.strap))
            #expect(strap.id == id)
            try await strap.untilReady()
            #expect(!app.events.values.contains("connected"))
            try await central.relinquishManager()
            #expect(app.manager.delegate === app)
        }
    }

    @Test("The end of the central ends the links and returns the manager")
    func shutDown() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            let app = try await connectedApp(kit)
            let peripheral = try #require(app.peripherals.first)
            let central = try adopt(app, [AdoptedPeripheral(peripheral, as: Kit.strap)], kit)
            try await #require(central.accessories.first).untilReady()
            await central.shutDown()
            #expect(app.manager.delegate === app)
            try await app.wait(for: "disconnected", in: kit.world)
            #expect(peripheral.state == .disconnected)
        }
    }

    @Test("An accessory that is out of range during the takeover is awaited")
    func lostMeanwhile() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(600)) {
            let app = try await connectedApp(kit)
            let peripheral = try #require(app.peripherals.first)
            kit.straps[0].walk(to: .outOfRange)
            try await app.wait(for: "disconnected", in: kit.world)
            app.manager.connect(peripheral)
            let central = try adopt(app, [AdoptedPeripheral(peripheral, as: Kit.strap)], kit)
            let strap = try #require(central.accessories.first)
            try await kit.world.expect(strap, becomes: .outOfRange, within: .seconds(5))
            kit.straps[0].comeBack()
            try await kit.world.expect(strap, becomes: .ready, within: .seconds(30))
            await central.shutDown()
        }
    }

    @Test("A manager or peripheral that cannot be taken over is refused and stays unchanged")
    func refusals() async throws {
        let kit = Kit()
        try await kit.world.run(for: .seconds(120)) {
            let app = try await connectedApp(kit)
            let other = FormerApp(on: kit.world.phone)
            try await other.wait(for: "on", in: kit.world)
            let peripheral = try #require(app.peripherals.first)
            // The strap does not advertise while it is connected.
            let held = other.manager.retrieveConnectedPeripherals(
                withServices: [CBUUID(string: "180D")]
            )
            let foreign = try #require(held.first)
            other.manager.connect(foreign)
            let id = peripheral.identifier
            var tag = Kit.strap
            tag.kind = "tag"
            tag.identity = .manufacturerData(company: 0xFFFF, range: 0..<2)
            let strap = AdoptedPeripheral(peripheral, as: Kit.strap)
            #expect(throws: AdoptionError.duplicate(id)) { try adopt(app, [strap, strap], kit) }
            #expect(throws: AdoptionError.unknownKind("strap")) {
                try adopt(app, [strap], for: [tag], kit)
            }
            #expect(throws: AdoptionError.unidentified(kind: "tag")) {
                try adopt(app, [AdoptedPeripheral(peripheral, as: tag)], for: [tag], kit)
            }
            #expect(throws: AdoptionError.otherManager(id)) {
                try adopt(app, [AdoptedPeripheral(foreign, as: Kit.strap)], kit)
            }
            #expect(app.manager.delegate === app)
            #expect(peripheral.delegate === app)
            let central = try adopt(app, [strap], kit)
            try await #require(central.accessories.first).untilReady()
            #expect(throws: AdoptionError.inUse) { try adopt(app, [], kit) }
            await central.shutDown()
            try await app.wait(for: "disconnected", in: kit.world)
            other.manager.cancelPeripheralConnection(foreign)
            #expect(throws: AdoptionError.notConnected(id)) { try adopt(app, [strap], kit) }
            let own = kit.central()
            await #expect(throws: AdoptionError.notAdopted) { try await own.relinquishManager() }
            await own.shutDown()
        }
    }
}

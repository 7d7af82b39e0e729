// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard
import LanyardTesting
import Testing

@Suite("Remembering accessories", .eachSystem)
struct RememberedAccessoriesTests {
    @Test("Row 6: An accessory is remembered once it is usable, until it is forgotten")
    func forgotten() async throws {
        let world = TestWorld(seed: 61)
        let strap = world.add(.strap)
        let store = world.phone.store
        try await world.run {
            let central = world.phone.central(.strap)
            #expect(store.load().accessories.isEmpty)
            let known = try await central.pair(.strap)
            #expect(store.load().accessories.map(\.identity) == [known.id])
            try await central.forget(known)
            #expect(store.load().accessories.isEmpty)
            #expect(central.accessories.isEmpty)
            try await world.advance(by: .seconds(60))
            #expect(await strap.linkCount == 0)
        }
    }

    @Test("Row 7: The next launch has the accessory without pairing again")
    func nextLaunch() async throws {
        let world = TestWorld(seed: 71)
        world.add(.strap)
        try await world.run {
            try await ScanningTests.pairAndEnd(world)
            let central = world.phone.central(.strap)
            let known = try #require(central.accessories.first)
            try await world.expect(known, becomes: .ready, within: .seconds(10))
            #expect(!world.story.states(of: "Strap").contains("scanning"))
        }
    }

    @Test("Row 7: The first launch has no accessories")
    func firstLaunch() async throws {
        let world = TestWorld(seed: 72)
        world.add(.strap)
        try await world.run {
            let central = world.phone.central(.strap)
            try await world.advance(by: .seconds(30))
            #expect(central.accessories.isEmpty)
            #expect(central.knownAccessory(.strap) == nil)
        }
    }

    @Test("Row 9: After an app ends during a connection, its next launch restores the accessory")
    func restored() async throws {
        let world = TestWorld(seed: 91)
        world.add(.strap)
        try await world.run {
            do {
                let central = world.phone.central(.strap)
                _ = try await central.pair(.strap)
                await world.phone.endApp()
            }
            let central = world.phone.central(.strap)
            let known = try #require(central.accessories.first)
            try await world.expect(known, becomes: .ready, within: .seconds(20))
            #expect(world.story.states(of: "Strap").contains("restoring"))
        }
    }

    @Test("Row 9: Published services are restored, and the central reconnects")
    func restoredPeripheral() async throws {
        let world = TestWorld(seed: 92)
        let gateway = world.addPhone("Gateway")
        let published = PublishedAccessory(
            name: "Gateway",
            services: [PublishedService("1D00", [.notifying("1D01", Data([1]))])],
            advertised: ["1D00"]
        )
        let kind = AccessoryDescription(
            kind: "gateway",
            matching: .service("1D00"),
            services: [ServiceDescription("1D00", [.subscribe("1D01")])]
        )
        @Sendable func launch() -> AccessoryPeripheral {
            var configuration = gateway.peripheralConfiguration
            configuration.restoreIdentifier = "gateway"
            return gateway.launch { _ in
                AccessoryPeripheral(published, configuration: configuration)
            }
        }
        try await world.run {
            _ = launch()
            let known = try await world.phone.central(kind).pair(kind)
            await gateway.endApp()
            try await world.expect("the end of the gateway is noticed", within: .seconds(30)) {
                known.state != .ready
            }
            let again = launch()
            var events: [PeripheralEvent] = []
            for await event in again.events {
                events.append(event)
                if event == .advertising { break }
            }
            // The restoration precedes the report that Bluetooth is on, as in the system.
            #expect(events.first == .restored, "\(events)")
            try await world.expect(known, becomes: .ready, within: .seconds(60))
            var values = try known.values(of: "1D01").makeAsyncIterator()
            again.setValue(Data([2]), of: "1D01")
            #expect(await values.next() == Data([2]))
        }
    }
}

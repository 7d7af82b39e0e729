// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Dispatch
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualAdapters
import VirtualRadio

struct IdentityTests {
    private static var service: CBUUID { CBUUID(string: "180D") }

    @Test("4.1 A host knows a peer by the same identifier at every launch, and no other host does")
    func identifiers() async throws {
        let air = SimulatedAir(World(seed: 1), timeout: .seconds(600))
        try air.world.addController(
            ControllerConfiguration(name: "strap", at: Position(x: 1, y: 0)),
            host: SimpleAccessory(.heartRate(name: "Strap"))
        )
        let phones = try ["mine", "yours"].map {
            try air.addAdapter(ControllerConfiguration(name: $0))
        }
        let stores = [MemoryStore(), MemoryStore()]
        try await air.run(bound: .seconds(60)) {
            var seen: [UUID] = []
            for place in [0, 0, 1] {
                var configuration = HostConfiguration()
                configuration.store = stores[place]
                let adapter = CBAdapter(
                    transport: phones[place],
                    executor: air.executor,
                    configuration: configuration
                )
                let recorder = DiscoveryRecorder(on: adapter)
                await recorder.scan([Self.service])
                await recorder.journal.wait(for: "seen Strap")
                seen.append(try #require(recorder.first("Strap")).peripheral.identifier)
                await adapter.shutDown()
            }
            #expect(seen[0] == seen[1])
            #expect(seen[0] != seen[2])
        }
    }

    @Test("4.2 Without a bond, a peer with a new private address is a new peer")
    func privateAddresses() async throws {
        let fixture = try Fixture()
        let other = try fixture.addAdapter("other") { $0.privacy = .on }
        try await fixture.run(bound: .seconds(3_600)) {
            let lamp = PeripheralRecorder(
                queue: DispatchQueue(label: "lamp"),
                options: [CBManagerOptionAdapterKey: other]
            )
            await lamp.journal.wait(for: "state poweredOn")
            lamp.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Lamp"])
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan()
            await recorder.journal.wait(for: "seen Lamp")
            let first = try #require(recorder.first("Lamp")).peripheral.identifier
            try await fixture.air.sleep(for: .seconds(1_200))
            recorder.manager.stopScan()
            let count = recorder.matches.count
            recorder.manager.scanForPeripherals(withServices: nil)
            await recorder.journal.wait(for: "seen Lamp", count: count + 1)
            #expect(recorder.matches.last?.peripheral.identifier != first)
        }
    }

    @Test("4.4, 4.5 Only known peers are retrieved, in order and as the same objects")
    func retrieval() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), .landmark(name: "Landmark"))
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            #expect(recorder.manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
            await recorder.scan()
            for name in ["Strap", "Landmark"] { await recorder.journal.wait(for: "seen \(name)") }
            let strap = try #require(recorder.first("Strap")).peripheral
            let landmark = try #require(recorder.first("Landmark")).peripheral
            for order in [[strap, landmark], [landmark, strap]] {
                let identifiers = order.map(\.identifier)
                let found = recorder.manager.retrievePeripherals(
                    withIdentifiers: [identifiers[0], UUID(), identifiers[1]]
                )
                #expect(found.map(ObjectIdentifier.init) == order.map(ObjectIdentifier.init))
            }
            #expect(
                recorder.matches.allSatisfy {
                    $0.peripheral === strap || $0.peripheral === landmark
                }
            )
        }
    }

    @Test("4.6, 5.3 A connected peer is retrieved by service, and still has to be connected to")
    func connectedPeers() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let first = DiscoveryRecorder(on: fixture.adapter)
            let second = DiscoveryRecorder(on: fixture.adapter)
            await second.journal.wait(for: "poweredOn")
            await first.scan([Self.service])
            await first.journal.wait(for: "seen Strap")
            let strap = try #require(first.first("Strap")).peripheral
            first.manager.connect(strap)
            await first.journal.wait(for: "connected")
            strap.discoverServices(nil)
            await first.journal.wait(for: "services")
            #expect(second.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
            let other = CBUUID(string: "1812")
            #expect(second.manager.retrieveConnectedPeripherals(withServices: [other]).isEmpty)
            let found = second.manager.retrieveConnectedPeripherals(
                withServices: [other, Self.service]
            )
            let shared = try #require(found.first)
            #expect(found.count == 1)
            #expect(shared.identifier == strap.identifier)
            #expect(shared.state == .disconnected)
            let before = fixture.air.now
            second.manager.connect(shared)
            await second.journal.wait(for: "connected")
            #expect(fixture.air.now == before)
        }
    }

    @Test(
        "4.7, 4.8 The name is the advertised name until the first connection, then the Device Name"
    )
    func names() async throws {
        let name = "A strap with a name that does not fit"
        let fixture = try Fixture(.heartRate(name: name))
        try await fixture.run {
            let recorder = DiscoveryRecorder(on: fixture.adapter)
            await recorder.scan(options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
            await recorder.journal.wait(for: "seen A ")
            let match = try #require(recorder.matches.first { $0.name != nil })
            let advertised = try #require(
                match.data[CBAdvertisementDataLocalNameKey] as? String
            )
            #expect(advertised.count < name.count)
            #expect(match.name == advertised)
            let strap = match.peripheral
            recorder.manager.connect(strap)
            await recorder.journal.wait(for: "name \(name)")
            #expect(strap.name == name)
            recorder.manager.cancelPeripheralConnection(strap)
            await recorder.journal.wait(for: "disconnected ok")
            let count = recorder.matches.count
            await recorder.journal.wait(for: "seen \(name)")
            let later = try #require(recorder.matches.dropFirst(count).last)
            #expect(later.data[CBAdvertisementDataLocalNameKey] as? String == advertised)
        }
    }
}

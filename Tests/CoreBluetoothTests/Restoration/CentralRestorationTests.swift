// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Restoring central managers")
struct CentralRestorationTests {
    private let store = MemoryStore()

    private func fixture(_ accessories: SimpleAccessoryProfile) throws -> Fixture {
        try Fixture(accessories) { $0.store = store }
    }

    @Test("13.1, 13.2, 13.3 Connections and subscriptions are restored without a discovery")
    func goesOn() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()

            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            again.takeOver("Strap")
            await again.journal.wait(for: "value 2A37", count: 3)
            #expect(
                again.journal.lines.prefix(4) == [
                    "restored kCBRestoredPeripherals",
                    "shows connecting 180D 2A37*/2902 2A38 2A39 180F 2A19/2902",
                    "state poweredOn",
                    "connected Strap",
                ]
            )
            #expect(again.journal.lines.dropFirst(4).allSatisfy { $0.hasPrefix("value 2A37") })
        }
    }

    @Test("13.3 A restored peer that is out of range is connected when it returns")
    func away() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()
            let strap = try fixture.controller("Strap")
            fixture.air.world.switchOff(strap)

            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            again.takeOver("Strap")
            await again.journal.wait(for: "state poweredOn")
            try await fixture.air.sleep(for: .seconds(30))
            #expect(again["Strap"]?.state == .connecting)
            fixture.air.world.switchOn(strap)
            await again.journal.wait(for: "value 2A37")
            #expect(again.journal.lines.contains("connected Strap"))
        }
    }

    @Test("13.3 A scan is restored with its filter and options, and without a key for peripherals")
    func scan() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            await app.journal.wait(for: "state poweredOn")
            app.manager.scanForPeripherals(
                withServices: [CBUUID(string: "180D")],
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            )
            await app.journal.wait(for: "discovered Strap")
            await fixture.adapter.shutDown()

            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            await again.journal.wait(for: "discovered Strap", count: 3)
            #expect(again.manager.isScanning)
            #expect(
                again.journal.lines.prefix(3) == [
                    "restored kCBRestoredScanOptions kCBRestoredScanServices",
                    "state poweredOn", "discovered Strap",
                ]
            )
        }
    }

    @Test("13.3 A restored option of a scan converts to a Bool, a number and an object")
    func scanOptions() {
        let scan = RequestedScan(services: nil, allowsDuplicates: true)
        let value = scan.options[CBCentralManagerScanOptionAllowDuplicatesKey]
        #expect(value as? Bool == true)
        #expect(value as? Int == 1)
        #expect((value as? NSNumber)?.boolValue == true)
    }

    @Test("13.2 A manager restores nothing after the app ended its scan and connection")
    func nothing() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            let strap = try await app.listen(to: "Strap")
            app.manager.scanForPeripherals(withServices: nil)
            app.manager.stopScan()
            app.manager.cancelPeripheralConnection(strap)
            await app.journal.wait(for: "disconnected Strap")
            await fixture.adapter.shutDown()

            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            await again.journal.wait(for: "state poweredOn")
            #expect(again.journal.lines == ["state poweredOn"])
        }
    }

    @Test("13.1 A manager without the identifier, or with another identifier, restores no state")
    func otherIdentifiers() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()

            let adapter = try fixture.relaunch(store)
            let plain = fixture.central(on: adapter)
            let other = fixture.central(
                on: adapter,
                options: [CBCentralManagerOptionRestoreIdentifierKey: "other"]
            )
            await plain.journal.wait(for: "state poweredOn")
            await other.journal.wait(for: "state poweredOn")
            #expect(plain.journal.lines == ["state poweredOn"])
            #expect(other.journal.lines == ["state poweredOn"])
        }
    }

    @Test("13.3 A restored peripheral that the app does not keep is not connected")
    func notKept() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()

            let second = try fixture.relaunch(store)
            let again = fixture.central(on: second, options: Fixture.appOptions)
            again.react { line, app in
                if line.hasPrefix("restored") { app.drop("Strap") }
            }
            await again.journal.wait(for: "state poweredOn")
            try await fixture.air.sleep(for: .seconds(10))
            #expect(again.journal.lines == ["restored kCBRestoredPeripherals", "state poweredOn"])
            await second.shutDown()

            let third = try fixture.relaunch(store, times: 2)
            let last = fixture.central(on: third, options: Fixture.appOptions)
            await last.journal.wait(for: "state poweredOn")
            #expect(last.journal.lines == ["state poweredOn"])
        }
    }

    @Test("13.3 Changed services are reported after connecting, and are not subscribed to")
    func changedTable() async throws {
        let fixture = try Fixture(.measuring(at: 0)) { $0.store = store }
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()
            fixture.air.world.remove(try fixture.controller("Strap"))
            try fixture.air.world.addController(
                ControllerConfiguration(name: "Strap", at: Position(x: 1, y: 0)),
                host: SimpleAccessory(.measuring(at: 1))
            )

            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            again.takeOver("Strap")
            await again.journal.wait(for: "modified")
            let lines = again.journal.lines.filter { !$0.hasPrefix("shows") }
            #expect(
                lines == [
                    "restored kCBRestoredPeripherals", "state poweredOn", "connected Strap",
                    "modified 180D 180F",
                ]
            )
        }
    }

    @Test("13.1 Of two managers with one identifier, only the first uses it")
    func sameIdentifier() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let journal = Journal()
            await Misuse.observing {
                journal.add($0)
            } during: {
                let app = fixture.central(options: Fixture.appOptions)
                await app.journal.wait(for: "state poweredOn")
                let other = fixture.central(options: Fixture.appOptions)
                await other.journal.wait(for: "state poweredOn")
                other.manager.scanForPeripherals(withServices: nil)
                await other.journal.wait(for: "discovered Strap")
                _ = app.manager.state
            }
            #expect(
                journal.lines.count { $0.contains("has the restore identifier app already") } == 1
            )
            await fixture.adapter.shutDown()
            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            await again.journal.wait(for: "state poweredOn")
            #expect(again.journal.lines == ["state poweredOn"])
        }
    }

    @Test("13.5 Commands before poweredOn are ignored, and restored state continues")
    func tooEarly() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()
            let journal = Journal()
            try await Misuse.observing {
                journal.add($0)
            } during: {
                let again = fixture.central(
                    on: try fixture.relaunch(store),
                    options: Fixture.appOptions
                )
                again.react { line, app in
                    guard line.hasPrefix("restored"), let strap = app["Strap"] else { return }
                    strap.delegate = app
                    strap.discoverServices(nil)
                    app.manager.connect(strap)
                }
                await again.journal.wait(for: "value 2A37")
                #expect(!again.journal.lines.contains { $0.hasPrefix("services") })
            }
            #expect(journal.lines.contains { $0.hasPrefix("API MISUSE") })
        }
    }

    @Test("13.2 Restored peripherals can be retrieved by identifier in willRestoreState")
    func retrieving() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()
            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            let lines = await Misuse.lines(about: Misuse.name(again.manager)) {
                again.react { line, app in
                    guard line.hasPrefix("restored"), let strap = app["Strap"] else { return }
                    strap.delegate = app
                    let found = app.manager.retrievePeripherals(
                        withIdentifiers: [UUID(), strap.identifier]
                    )
                    app.journal.add("retrieved \(found == [strap])")
                }
                await again.journal.wait(for: "value 2A37")
            }
            #expect(lines.isEmpty)
            #expect(
                again.journal.lines.prefix(4) == [
                    "restored kCBRestoredPeripherals", "retrieved true", "state poweredOn",
                    "connected Strap",
                ]
            )
        }
    }

    @Test("4.7 A retrieved peripheral has its name after a relaunch")
    func names() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central()
            let strap = try await app.connectedPeripheral("Strap")
            await app.explore(strap)
            let identifier = strap.identifier
            await fixture.adapter.shutDown()
            fixture.air.world.switchOff(try fixture.controller("Strap"))
            let again = fixture.central(on: try fixture.relaunch(store))
            await again.journal.wait(for: "state poweredOn")
            let found = again.manager.retrievePeripherals(withIdentifiers: [identifier])
            #expect(found.map(\.name) == ["Strap"])
        }
    }

    @Test("13.6 A record that cannot be decoded is ignored")
    func tornRecord() async throws {
        let fixture = try fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            await fixture.adapter.shutDown()
            let keys = store.keys().filter { "\($0)".contains("restore-central") }
            #expect(keys.count == 1)
            for key in keys { store.save(Array((store.load(key) ?? []).dropLast(9)), as: key) }
            let again = fixture.central(
                on: try fixture.relaunch(store),
                options: Fixture.appOptions
            )
            await again.journal.wait(for: "state poweredOn")
            #expect(again.journal.lines == ["state poweredOn"])
        }
    }
}

extension SimpleAccessoryProfile {
    /// Returns a strap with a fixed address, with this number of services before its heart rate
    /// service.
    fileprivate static func measuring(at place: Int) -> SimpleAccessoryProfile {
        var profile = heartRate(name: "Strap")
        profile.address = .random(DeviceAddress(value: 0xC000_0000_AAAA, kind: .random))
        profile.services.insert(
            contentsOf: (0..<place).map {
                Service(
                    BluetoothUUID(0xB000 + UInt16($0)),
                    [Characteristic(BluetoothUUID(0xB100), .read)]
                )
            },
            at: 0
        )
        return profile
    }
}

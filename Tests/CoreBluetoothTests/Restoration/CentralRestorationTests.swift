// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import HCITransports
import Testing
import VirtualAccessories

@Suite("Central managers in another process")
struct CentralRestorationTests {
    private let store = MemoryStore()

    private func stage(_ accessories: AccessoryProfile) throws -> Stage {
        try Stage(accessories) { $0.store = store }
    }

    @Test("13.1, 13.2, 13.3 Who was connected and listened goes on, without discovering again")
    func goesOn() async throws {
        let stage = try stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            _ = try await app.listen(to: "Strap")
            await stage.adapter.shutDown()

            let again = stage.central(on: try stage.relaunch(store), options: Stage.appOptions)
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

    @Test("13.3 A peer that is away is waited for, and connected when it is back")
    func away() async throws {
        let stage = try stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            _ = try await app.listen(to: "Strap")
            await stage.adapter.shutDown()
            let strap = try stage.controller("Strap")
            stage.air.world.switchOff(strap)

            let again = stage.central(on: try stage.relaunch(store), options: Stage.appOptions)
            again.takeOver("Strap")
            await again.journal.wait(for: "state poweredOn")
            try await stage.air.sleep(for: .seconds(30))
            #expect(again["Strap"]?.state == .connecting)
            stage.air.world.switchOn(strap)
            await again.journal.wait(for: "value 2A37")
            #expect(again.journal.lines.contains("connected Strap"))
        }
    }

    @Test("13.3 A scan goes on with its filter and options; there is no key for what there is not")
    func scan() async throws {
        let stage = try stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            await app.journal.wait(for: "state poweredOn")
            app.manager.scanForPeripherals(
                withServices: [CBUUID(string: "180D")],
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: true]
            )
            await app.journal.wait(for: "discovered Strap")
            await stage.adapter.shutDown()

            let again = stage.central(on: try stage.relaunch(store), options: Stage.appOptions)
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

    @Test("13.2 Where all was ended there is nothing to restore, and nothing is restored")
    func nothing() async throws {
        let stage = try stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            let strap = try await app.listen(to: "Strap")
            app.manager.scanForPeripherals(withServices: nil)
            app.manager.stopScan()
            app.manager.cancelPeripheralConnection(strap)
            await app.journal.wait(for: "disconnected Strap")
            await stage.adapter.shutDown()

            let again = stage.central(on: try stage.relaunch(store), options: Stage.appOptions)
            await again.journal.wait(for: "state poweredOn")
            #expect(again.journal.lines == ["state poweredOn"])
        }
    }

    @Test("13.1 Without the identifier, or with another one, nothing is restored")
    func otherIdentifiers() async throws {
        let stage = try stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            _ = try await app.listen(to: "Strap")
            await stage.adapter.shutDown()

            let adapter = try stage.relaunch(store)
            let stranger = stage.central(on: adapter)
            let other = stage.central(
                on: adapter,
                options: [CBCentralManagerOptionRestoreIdentifierKey: "other"]
            )
            await stranger.journal.wait(for: "state poweredOn")
            await other.journal.wait(for: "state poweredOn")
            #expect(stranger.journal.lines == ["state poweredOn"])
            #expect(other.journal.lines == ["state poweredOn"])
        }
    }

    @Test("13.3 A peripheral that the application does not keep is not connected to")
    func notKept() async throws {
        let stage = try stage(.heartRate(name: "Strap"))
        try await stage.run {
            let app = stage.central(options: Stage.appOptions)
            _ = try await app.listen(to: "Strap")
            await stage.adapter.shutDown()

            let second = try stage.relaunch(store)
            let again = stage.central(on: second, options: Stage.appOptions)
            again.react { line, app in
                if line.hasPrefix("restored") { app.drop("Strap") }
            }
            await again.journal.wait(for: "state poweredOn")
            try await stage.air.sleep(for: .seconds(10))
            #expect(again.journal.lines == ["restored kCBRestoredPeripherals", "state poweredOn"])
            await second.shutDown()

            let third = try stage.relaunch(store, times: 2)
            let last = stage.central(on: third, options: Stage.appOptions)
            await last.journal.wait(for: "state poweredOn")
            #expect(last.journal.lines == ["state poweredOn"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Restoring after a shutdown")
struct OrderlyEndTests {
    private let store = MemoryStore()

    /// Creates a fixture with two straps.
    private func fixture() throws -> Fixture {
        try Fixture(.heartRate(name: "Left"), .heartRate(name: "Right")) { $0.store = store }
    }

    /// Shuts the adapter down, checks that the manager only gets the new state, and relaunches.
    private func end(of app: CentralRecorder, on fixture: Fixture) async throws -> CentralRecorder {
        app.journal.clear()
        await fixture.adapter.shutDown()
        await app.journal.wait(for: "state unsupported")
        #expect(app.journal.lines == ["state unsupported"])
        return fixture.central(on: try fixture.relaunch(store), options: Fixture.appOptions)
    }

    private func meetBoth(_ app: CentralRecorder) async throws -> [CBPeripheral] {
        await app.journal.wait(for: "state poweredOn")
        app.manager.scanForPeripherals(withServices: nil)
        await app.journal.wait(for: "discovered Left")
        await app.journal.wait(for: "discovered Right")
        app.manager.stopScan()
        return [try #require(app["Left"]), try #require(app["Right"])]
    }

    @Test("13.2, 13.3 Two connected peripherals are both connected again")
    func two() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            for strap in try await meetBoth(app) { app.manager.connect(strap) }
            await app.journal.wait(for: "connected", count: 2)
            let again = try await end(of: app, on: fixture)
            await again.journal.wait(for: "connected Left")
            await again.journal.wait(for: "connected Right")
        }
    }

    @Test("13.2, 13.3 A pending connection request is restored and has not failed")
    func pending() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            let straps = try await meetBoth(app)
            let right = try fixture.controller("Right")
            fixture.air.world.switchOff(right)
            for strap in straps { app.manager.connect(strap) }
            await app.journal.wait(for: "connected Left")
            let again = try await end(of: app, on: fixture)
            await again.journal.wait(for: "connected Left")
            fixture.air.world.switchOn(right)
            await again.journal.wait(for: "connected Right")
        }
    }

    @Test("13.2, 5.1.1 A peripheral that reconnects automatically does so after the next launch")
    func reconnecting() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            let straps = try await meetBoth(app)
            let options = [CBConnectPeripheralOptionEnableAutoReconnect: true]
            app.manager.connect(straps[0], options: options)
            app.manager.connect(straps[1])
            await app.journal.wait(for: "connected", count: 2)
            let again = try await end(of: app, on: fixture)
            await again.journal.wait(for: "connected", count: 2)
            fixture.air.world.switchOff(try fixture.controller("Left"))
            await again.journal.wait(for: "disconnected Left CBError 6 reconnecting")
        }
    }
}

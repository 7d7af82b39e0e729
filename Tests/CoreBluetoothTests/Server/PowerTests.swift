// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Turning Bluetooth off with a peripheral manager")
struct PowerTests {
    private func cycle(_ fixture: Fixture, _ app: PeripheralRecorder) async {
        let count = app.journal.lines.count { $0 == "state poweredOn" }
        fixture.adapter.isPoweredOn = false
        await app.journal.wait(for: "state poweredOff", count: count)
        fixture.adapter.isPoweredOn = true
        await app.journal.wait(for: "state poweredOn", count: count + 1)
    }

    /// Checks the services that a client discovers, except those that every server has.
    private func expectServices(_ expected: [UInt16], on fixture: Fixture) async throws {
        try await fixture.client { client in
            let found = try await client.link.discoverServices().compactMap(\.uuid.short16)
            #expect(found == [0x1800, 0x1801] + expected)
        }
    }

    @Test("9.6, 12.7 Services and advertising are restored when Bluetooth is turned on")
    func goesOn() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            await cycle(fixture, app)
            #expect(app.wasAdvertising == [false, false, true])
            try await expectServices([0xA000], on: fixture)
            #expect(app.manager.isAdvertising)
        }
    }

    @Test("12.7 A peripheral manager does not advertise while Bluetooth is off")
    func isOff() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            fixture.adapter.isPoweredOn = false
            await app.journal.wait(for: "state poweredOff")
            #expect(!app.manager.isAdvertising)
            try await fixture.host { host in
                var options = ConnectOptions()
                options.timeout = .seconds(5)
                await #expect(throws: HostError.timedOut) {
                    _ = try await host.connect(to: Fixture.phoneAddress, options: options)
                }
            }
        }
    }

    @Test(
        "9.6 Adding the same services at every poweredOn publishes them once"
    )
    func readdsSame() async throws {
        let (sample, _) = SampleService.make()
        nonisolated(unsafe) let service = sample
        let fixture = try Fixture()
        try await fixture.serve([sample]) { app in
            for round in 2...3 {
                await cycle(fixture, app)
                app.manager.add(service)
                app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Again"])
                await app.journal.wait(for: "added A000 ok", count: round)
                await app.journal.wait(for: "advertising ok", count: round)
                try await expectServices([0xA000], on: fixture)
            }
            #expect(app.manager.isAdvertising)
        }
    }

    @Test("9.6 New services at every poweredOn replace the old ones and those that include them")
    func readdsNew() async throws {
        nonisolated(unsafe) let old = SampleService.make().0
        nonisolated(unsafe) let including = CBMutableService(
            type: CBUUID(string: "B000"),
            primary: true
        )
        including.includedServices = [old]
        let fixture = try Fixture()
        try await fixture.serve([old, including]) { app in
            await cycle(fixture, app)
            let (new, _) = SampleService.make()
            let newIncluding = CBMutableService(type: CBUUID(string: "B000"), primary: true)
            newIncluding.includedServices = [new]
            app.manager.add(new)
            app.manager.add(newIncluding)
            await app.journal.wait(for: "added B000 ok", count: 2)
            try await expectServices([0xA000, 0xB000], on: fixture)
            #expect(!old.isPublished && !including.isPublished)
            #expect(new.isPublished && newIncluding.isPublished)
        }
    }

    @Test("10.1 Turning Bluetooth off ends links and subscriptions")
    func subscriptions() async throws {
        let (service, all) = SampleService.make()
        nonisolated(unsafe) let notified = try #require(all[SampleService.notified])
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            try await fixture.client { client in
                let found = try await client.find(SampleService.notified)
                let values = try await client.link.subscribe(to: found)
                await app.journal.wait(for: "subscribed A003 1")
                fixture.adapter.isPoweredOn = false
                await app.journal.wait(for: "state poweredOff")
                #expect(app.journal.lines.contains("unsubscribed A003 nil"))
                #expect(notified.subscribedCentrals == nil)
                _ = try await client.link.ended()
                withExtendedLifetime(values) {}
            }
        }
    }

    @Test("9.6, 12.7 A state below poweredOff removes services and advertising")
    func below() async throws {
        nonisolated(unsafe) let service = SampleService.make().0
        let fixture = try Fixture()
        try await fixture.serve([service]) { app in
            fixture.adapter.authorization = .denied
            await app.journal.wait(for: "state unauthorized")
            #expect(!service.isPublished && !app.manager.isAdvertising)
            fixture.adapter.authorization = .allowedAlways
            await app.journal.wait(for: "state poweredOn", count: 2)
            #expect(!app.manager.isAdvertising)
            app.manager.startAdvertising(nil)
            await app.journal.wait(for: "advertising ok", count: 2)
            try await expectServices([], on: fixture)
            app.manager.add(service)
            await app.journal.wait(for: "added A000 ok", count: 2)
            try await expectServices([0xA000], on: fixture)
        }
    }
}

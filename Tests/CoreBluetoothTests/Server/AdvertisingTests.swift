// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Advertising")
struct AdvertisingTests {
    /// Waits for an advertisement of the phone, merged with its scan response, that satisfies the
    /// condition.
    private func awaitAdvertisement(
        _ fixture: Fixture,
        until condition: @escaping @Sendable (Advertisement) -> Bool
    ) async throws -> Advertisement {
        let found = LockedState<Advertisement?>(nil)
        try await fixture.host(named: "scanner", number: 0xF9) { scanner in
            for try await advertisement in scanner.scan(reportsDuplicates: true)
            where advertisement.address == Fixture.phoneAddress && condition(advertisement) {
                found.change { $0 = advertisement }
                break
            }
        }
        return try #require(found.current)
    }

    @Test("12.1, 12.4 When the delegate is called, connectable packets have the name and services")
    func started() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let app = fixture.peripheral()
            await app.journal.wait(for: "state poweredOn")
            #expect(!app.manager.isAdvertising)
            app.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Shop",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "A000")],
            ])
            await app.journal.wait(for: "advertising ok")
            #expect(app.manager.isAdvertising)
            let advertisement = try await awaitAdvertisement(fixture) {
                $0.data.localName == "Shop"
            }
            #expect(advertisement.isConnectable && advertisement.isLegacy)
            #expect(advertisement.data.serviceUUIDs == [BluetoothUUID(0xA000)])
            #expect(advertisement.data.flags == [.generalDiscoverable, .brEdrNotSupported])
        }
    }

    @Test("12.1 Keys other than the name and services are not advertised, and are logged")
    func otherKeys() async throws {
        let fixture = try Fixture()
        let journal = Journal()
        try await Misuse.observing(journal.add) {
            try await fixture.run {
                let app = fixture.peripheral()
                await app.journal.wait(for: "state poweredOn")
                app.manager.startAdvertising([
                    CBAdvertisementDataLocalNameKey: "Shop",
                    CBAdvertisementDataManufacturerDataKey: Data([1, 2, 3]),
                    CBAdvertisementDataTxPowerLevelKey: 4,
                ])
                await app.journal.wait(for: "advertising ok")
                let advertisement = try await awaitAdvertisement(fixture) {
                    $0.data.localName == "Shop"
                }
                #expect(
                    advertisement.data.manufacturerData == nil
                        && advertisement.data.txPowerLevel == nil
                )
            }
        }
        #expect(
            journal.lines.contains { $0.contains("'kCBAdvDataManufacturerData' is not allowed") }
        )
        #expect(journal.lines.contains { $0.contains("'kCBAdvDataTxPowerLevel' is not allowed") })
    }

    @Test("12.4 A second start is an error without an effect, and a start after a stop succeeds")
    func twice() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let app = fixture.peripheral()
            await app.journal.wait(for: "state poweredOn")
            app.manager.startAdvertising(nil)
            app.manager.startAdvertising(nil)
            await app.journal.wait(for: "advertising CBError 9")
            await app.journal.wait(for: "advertising ok")
            #expect(app.manager.isAdvertising)
            app.manager.stopAdvertising()
            #expect(!app.manager.isAdvertising)
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Again"])
            await app.journal.wait(for: "advertising ok", count: 2)
            #expect(app.manager.isAdvertising)
            _ = try await awaitAdvertisement(fixture) { $0.data.localName == "Again" }
            #expect(app.journal.lines.count == 4)
        }
    }

    @Test("12.4 Starts that are stopped before the delegate is called have no effect")
    func stoppedAtOnce() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let app = fixture.peripheral()
            await app.journal.wait(for: "state poweredOn")
            for _ in 0..<10 {
                app.manager.startAdvertising(nil)
                app.manager.stopAdvertising()
            }
            app.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Last"])
            await app.journal.wait(for: "advertising ok")
            _ = try await awaitAdvertisement(fixture) { $0.data.localName == "Last" }
            #expect(app.manager.isAdvertising)
        }
    }

    @Test("12.5 Managers share one advertisement, and stopping one removes only its own part")
    func shared() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let first = fixture.peripheral()
            let second = fixture.peripheral()
            await first.journal.wait(for: "state poweredOn")
            await second.journal.wait(for: "state poweredOn")
            first.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "First",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "A000")],
            ])
            second.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Second",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "B000")],
            ])
            await first.journal.wait(for: "advertising ok")
            await second.journal.wait(for: "advertising ok")
            let both = try await awaitAdvertisement(fixture) { $0.data.serviceUUIDs.count == 2 }
            #expect(both.data.localName == "First")
            first.manager.stopAdvertising()
            let rest = try await awaitAdvertisement(fixture) { $0.data.localName == "Second" }
            #expect(rest.data.serviceUUIDs == [BluetoothUUID(0xB000)])
            second.dropManager()
            try await fixture.host(named: "last") { host in
                await #expect(throws: HostError.timedOut) {
                    var options = ConnectOptions()
                    options.timeout = .seconds(5)
                    _ = try await host.connect(to: Fixture.phoneAddress, options: options)
                }
            }
        }
    }

    @Test("12.3 With background rules, there is no name, and all services are in the overflow area")
    func background() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            let app = fixture.peripheral(options: [CBManagerOptionBackgroundRulesKey: true])
            await app.journal.wait(for: "state poweredOn")
            app.manager.startAdvertising([
                CBAdvertisementDataLocalNameKey: "Shop",
                CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "A000")],
            ])
            await app.journal.wait(for: "advertising ok")
            let advertisement = try await awaitAdvertisement(fixture) {
                OverflowArea.isPresent(in: $0.data)
            }
            #expect(advertisement.data.localName == nil && advertisement.data.serviceUUIDs.isEmpty)
            let service = BluetoothUUID(0xA000)
            #expect(OverflowArea.matches([service], in: advertisement.data) == [service])
        }
    }

    @Test("12.3 The interval is longer only if all advertising managers follow background rules")
    func interval() {
        var plan = AdvertisingPlan()
        let sessions = [SessionIdentifier.next(), .next()]
        #expect(plan.advertising == nil)
        _ = plan.start(AdvertisementRequest(hasBackgroundRules: true), for: sessions[0])
        #expect(plan.advertising?.interval == AdvertisingPlan.backgroundInterval)
        _ = plan.start(AdvertisementRequest(localName: "a"), for: sessions[1])
        #expect(plan.advertising?.interval == AdvertisingPlan.interval)
        plan.stop(sessions[1])
        #expect(plan.advertising?.interval == AdvertisingPlan.backgroundInterval)
    }

    @Test("Advertising continues while a central is connected")
    func connected() async throws {
        let fixture = try Fixture()
        try await fixture.serve([SampleService.make().0]) { app in
            try await fixture.client { _ in
                _ = try await awaitAdvertisement(fixture) { $0.data.localName == "Shop" }
            }
            #expect(app.manager.isAdvertising)
        }
    }
}

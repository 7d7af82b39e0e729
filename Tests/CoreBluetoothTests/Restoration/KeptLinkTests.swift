// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import Foundation
import HCITransports
import Testing
import VirtualAccessories
import VirtualRadio

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Restoring links that the system kept")
struct KeptLinkTests {
    private func fixture() throws -> Fixture {
        try Fixture(.heartRate(name: "Strap")) { $0.store = MemoryStore() }
    }

    private func linkCount(_ fixture: Fixture) -> Int { fixture.air.world.status.links.count }

    @Test("13.3 A peer whose link the system kept is restored as connected")
    func connected() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            fixture.adapter.endProcess()
            try await fixture.air.sleep(for: .seconds(60))
            let former = app.journal.lines
            #expect(linkCount(fixture) == 1)

            let again = fixture.central(options: Fixture.appOptions)
            again.takeOver("Strap")
            await again.journal.wait(for: "value 2A37", count: 3)
            #expect(
                again.journal.lines.prefix(3) == [
                    "restored kCBRestoredPeripherals",
                    "shows connected 180D 2A37*/2902 2A38 2A39 180F 2A19/2902",
                    "state poweredOn",
                ]
            )
            #expect(again.journal.lines.dropFirst(3).allSatisfy { $0.hasPrefix("value 2A37") })
            // The former process gets nothing, and its commands have no effect.
            let strap = try #require(app["Strap"])
            app.manager.cancelPeripheralConnection(strap)
            try await fixture.air.sleep(for: .seconds(5))
            #expect(app.journal.lines == former)
            #expect(again["Strap"]?.state == .connected)
            #expect(linkCount(fixture) == 1)
        }
    }

    @Test("13.3 A restored peripheral has nothing of a connection that the app released")
    func released() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            let identifier = try await app.listen(to: "Strap").identifier
            app.drop("Strap")
            try await fixture.air.sleep(for: .seconds(5))
            let strap = try #require(
                app.manager.retrievePeripherals(withIdentifiers: [identifier]).first
            )
            #expect(strap.state == .disconnected)
            app.manager.connect(strap)
            await app.journal.wait(for: "connected Strap")
            fixture.adapter.endProcess()
            let again = fixture.central(options: Fixture.appOptions)
            again.takeOver("Strap")
            await again.journal.wait(for: "state poweredOn")
            #expect(again.journal.lines.contains("shows connected "))
        }
    }

    @Test("13.3 The end of a restored link is reported")
    func lostAfterwards() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            fixture.adapter.endProcess()
            let again = fixture.central(options: Fixture.appOptions)
            again.takeOver("Strap")
            await again.journal.wait(for: "value 2A37")
            fixture.air.world.switchOff(try fixture.controller("Strap"))
            await again.journal.wait(for: "disconnected Strap CBError 6")
            #expect(again["Strap"]?.state == .disconnected)
        }
    }

    @Test("13.3 A link that the new process cancels ends")
    func cancelled() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            fixture.adapter.endProcess()
            let again = fixture.central(options: Fixture.appOptions)
            again.takeOver("Strap")
            await again.journal.wait(for: "state poweredOn")
            again.manager.cancelPeripheralConnection(try #require(again["Strap"]))
            await again.journal.wait(for: "disconnected Strap ok")
            try await fixture.air.sleep(for: .seconds(1))
            #expect(linkCount(fixture) == 0)
        }
    }

    @Test("13.3 A link that was lost while no process ran is requested again")
    func lostMeanwhile() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central(options: Fixture.appOptions)
            _ = try await app.listen(to: "Strap")
            fixture.adapter.endProcess()
            let strap = try fixture.controller("Strap")
            fixture.air.world.switchOff(strap)
            try await fixture.air.sleep(for: .seconds(30))
            let again = fixture.central(options: Fixture.appOptions)
            again.takeOver("Strap")
            await again.journal.wait(for: "state poweredOn")
            #expect(again["Strap"]?.state == .connecting)
            fixture.air.world.switchOn(strap)
            await again.journal.wait(for: "value 2A37")
            #expect(again.journal.lines.contains("connected Strap"))
        }
    }

    @Test("13.3 Services that changed while no process ran are reported after the restoration")
    func changedMeanwhile() async throws {
        let fixture = try Fixture { $0.store = MemoryStore() }
        try await fixture.run {
            try await fixture.host(configure: { $0.name = "Kit" }) { host in
                let service = try await host.publish(Self.service)
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let app = fixture.central(options: Fixture.appOptions)
                await app.explore(try await app.connectedPeripheral("Kit"))
                try await fixture.air.sleep(for: .seconds(1))
                fixture.adapter.endProcess()
                try await host.unpublish(service)
                try await fixture.air.sleep(for: .seconds(5))
                let again = fixture.central(options: Fixture.appOptions)
                again.takeOver("Kit")
                await again.journal.wait(for: "modified B100")
                #expect(again["Kit"]?.state == .connected)
                #expect(again["Kit"]?.services?.isEmpty == true)
            }
        }
    }

    @Test("13.1 A manager without a restore identifier loses its links with its process")
    func withoutIdentifier() async throws {
        let fixture = try fixture()
        try await fixture.run {
            let app = fixture.central()
            _ = try await app.listen(to: "Strap")
            fixture.adapter.endProcess()
            try await fixture.air.sleep(for: .seconds(1))
            #expect(linkCount(fixture) == 0)
            #expect(!app.journal.lines.contains { $0.hasPrefix("disconnected") })
        }
    }

    @Test("13.3 The number of placeholders is limited, and each restore identifier has only one")
    func bound() {
        var part = RestorationPart()
        for number in 0..<100 {
            let key = RestorationKey(role: .central, identifier: "\(number)")
            let former = part.addPlaceholder(SessionIdentifier(rawValue: UInt64(number)), for: key)
            #expect(former.count == (number < RestorationPart.placeholderLimit ? 0 : 1))
        }
        #expect(part.placeholders.count == RestorationPart.placeholderLimit)
        let key = RestorationKey(role: .central, identifier: "99")
        let former = part.addPlaceholder(SessionIdentifier(rawValue: 100), for: key)
        #expect(former == [SessionIdentifier(rawValue: 99)])
    }

    private static let service = GATT.ServiceDefinition(
        BluetoothUUID(0xB100),
        [.init(BluetoothUUID(0xB101), .read, value: .stored([1]))]
    )
}

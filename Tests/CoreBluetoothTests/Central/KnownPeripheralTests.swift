// SPDX-License-Identifier: Apache-2.0

import CoreBluetoothEnumerations
import Foundation
import Testing
import VirtualAccessories

@testable import BluetoothClients
@testable import CoreBluetooth

@Suite("Identifiers and names of peripherals")
struct KnownPeripheralTests {
    private static let longName = "A strap whose name is far too long to be advertised"

    @Test(
        "4.1, 4.4 The managers of one host use the same identifier for a peripheral, and another host uses a different one"
    )
    func identifiers() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            let strap = try phone.discovered("Strap")
            let again = phone.manager.retrievePeripherals(withIdentifiers: [strap.identifier])
            #expect(again.first === strap)
            let second = await fixture.phone(finding: "Strap")
            let same = try second.discovered("Strap")
            #expect(same.identifier == strap.identifier)
            #expect(same !== strap)
            let tablet = try fixture.addAdapter("tablet")
            let other = await fixture.phone(finding: "Strap", on: tablet)
            #expect(try other.discovered("Strap").identifier != strap.identifier)
        }
    }

    @Test("4.5 Known peripherals are retrieved in the requested order, without unknown ones")
    func retrieve() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"), .thermometer(name: "Thermometer"))
        try await fixture.run {
            let phone = await fixture.phone(finding: "Strap")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Thermometer")
            let wanted = [try phone.discovered("Thermometer"), try phone.discovered("Strap")]
            let identifiers = [wanted[0].identifier, UUID(), wanted[1].identifier]
            let found = phone.manager.retrievePeripherals(withIdentifiers: identifiers)
            #expect(found == wanted)
            fixture.adapter.isPoweredOn = false
            await phone.journal.wait(for: "state poweredOff")
            #expect(phone.manager.retrievePeripherals(withIdentifiers: identifiers).isEmpty)
        }
    }

    @Test(
        "4.6 A peripheral of another manager's link is retrieved by its service, as disconnected"
    )
    func retrieveConnected() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = try await fixture.phone(connectedTo: "Strap")
            defer { withExtendedLifetime(phone) {} }
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOn")
            let rate = CBUUID(string: "180D")
            let found = other.manager.retrieveConnectedPeripherals(withServices: [rate])
            #expect(found.map(\.name) == ["Strap"])
            #expect(found.first?.state == .disconnected)
            #expect(other.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
            let heat = [CBUUID(string: "1809")]
            #expect(other.manager.retrieveConnectedPeripherals(withServices: heat).isEmpty)
        }
    }

    @Test("4.7, 4.8 The name that was read on a link has priority over the advertised one")
    func names() async throws {
        let fixture = try Fixture(.heartRate(name: Self.longName))
        try await fixture.run {
            let phone = await fixture.phone(finding: "A strap")
            let advertised = try #require(phone.journal.lines.last { $0.hasPrefix("discovered") })
            let short = String(advertised.dropFirst("discovered ".count))
            #expect(short.count < Self.longName.count)
            let strap = try phone.discovered(short)
            strap.delegate = phone
            phone.manager.connect(strap)
            await phone.journal.wait(for: "name \(Self.longName)")
            #expect(strap.name == Self.longName)
            phone.manager.cancelPeripheralConnection(strap)
            await phone.journal.wait(for: "disconnected")
            let listener = try await fixture.listener(scanningFor: nil)
            await listener.journal.wait(for: "seen \(Self.longName)")
            #expect(listener.data.first?[CBAdvertisementDataLocalNameKey] as? String == short)
        }
    }

    @Test("14.2 A registered manager gets the connection events of other managers' links")
    func connectionEvents() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let other = fixture.central()
            await other.journal.wait(for: "state poweredOn")
            other.manager.registerForConnectionEvents(
                options: [.serviceUUIDs: [CBUUID(string: "180D")]]
            )
            let phone = try await fixture.phone(connectedTo: "Strap")
            await other.journal.wait(for: "event connected Strap")
            phone.manager.cancelPeripheralConnection(try phone.discovered("Strap"))
            await other.journal.wait(for: "event disconnected Strap")
            other.manager.registerForConnectionEvents(options: nil)
            phone.manager.connect(try phone.discovered("Strap"))
            await phone.journal.wait(for: "connected Strap", count: 2)
            #expect(other.journal.lines.count { $0.hasPrefix("event") } == 2)
        }
    }
}

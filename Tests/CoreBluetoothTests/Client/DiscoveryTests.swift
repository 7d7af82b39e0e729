// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothTypes
import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

@Suite("Discovery")
struct DiscoveryTests {
    @Test("6.1 Contents are nil before a search, and empty after a search without a result")
    func nilAndEmpty() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            #expect(sensor.services == nil)
            sensor.discoverServices(nil)
            await phone.journal.wait(for: "services A000,A100 ok")
            let plain = try sensor.service("A100")
            #expect(plain.characteristics == nil)
            #expect(plain.includedServices == nil)
            sensor.discoverIncludedServices(nil, for: plain)
            await phone.journal.wait(for: "included A100:  ok")
            #expect(plain.includedServices == [])
            sensor.discoverCharacteristics(nil, for: plain)
            await phone.journal.wait(for: "characteristics A100: A101 ok")
            let value = try sensor.characteristic("A101")
            #expect(value.descriptors == nil)
            sensor.discoverDescriptors(for: value)
            await phone.journal.wait(for: "descriptors A101:  ok")
            #expect(value.descriptors == [])
        }
    }

    @Test("6.2 A filter applies to one search: results add up, and objects stay the same")
    func filters() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            sensor.discoverServices([CBUUID(string: "A100")])
            await phone.journal.wait(for: "services A100 ok")
            let first = try sensor.service("A100")
            sensor.discoverServices([CBUUID(string: "A000"), CBUUID(string: "A0FF")])
            await phone.journal.wait(for: "services A000,A100 ok")
            #expect(try sensor.service("A100") === first)
            let service = try sensor.service("A000")
            sensor.discoverCharacteristics([CBUUID(string: "A003")], for: service)
            await phone.journal.wait(for: "characteristics A000: A003 ok")
            let notifying = try sensor.characteristic("A003")
            sensor.discoverCharacteristics(nil, for: service)
            await phone.journal.wait(for: "characteristics A000: A001,A002,A003,A004 ok")
            #expect(try sensor.characteristic("A003") === notifying)
            sensor.discoverServices(nil)
            await phone.journal.wait(for: "services A000,A100 ok", count: 2)
            #expect(try sensor.service("A000") === service)
            #expect(service.peripheral === sensor)
            #expect(notifying.service === service)
        }
    }

    @Test("6.3, 6.4 A repeated search causes no radio traffic")
    func repetition() async throws {
        let fixture = try Fixture(.sensor)
        let (adapter, transport) = try fixture.addCountedAdapter()
        try await fixture.run {
            let phone = fixture.central(on: adapter)
            let sensor = try await phone.connectedPeripheral("Sensor")
            sensor.discoverServices([CBUUID(string: "A000")])
            await phone.journal.wait(for: "services A000 ok")
            // The host subscribes to Service Changed, which no event reports.
            try await fixture.air.sleep(for: .seconds(1))
            let count = transport.sentCount
            #expect(count > 0)
            await phone.explore(sensor)
            #expect(transport.sentCount == count)
            await adapter.shutDown()
        }
    }

    @Test("6.5 Services that the system uses are hidden")
    func hiddenServices() async throws {
        let notificationCenter = try #require(
            BluetoothUUID("7905F431-B5CE-4E99-A40F-4B1E122D00D0")
        )
        let fixture = try Fixture(
            SimpleAccessoryProfile(
                name: "Keys",
                services: [
                    .init(BluetoothUUID(0x1812), [.init(BluetoothUUID(0x2A4A), .read)]),
                    .init(notificationCenter, [.init(BluetoothUUID(0xB001), .read)]),
                    .init(BluetoothUUID(0x180F), [.init(BluetoothUUID(0x2A19), .read)]),
                ]
            )
        )
        try await fixture.run {
            let phone = fixture.central()
            let keys = try await phone.connectedPeripheral("Keys")
            keys.discoverServices(nil)
            await phone.journal.wait(for: "services 180F ok")
            keys.discoverServices([CBUUID(string: "1800"), CBUUID(string: "1812")])
            await phone.journal.wait(for: "services", count: 2)
            #expect(phone.journal.lines.last == "services 180F ok")
        }
    }

    @Test("6.7 A call is answered once, for the object that it was made for")
    func oneAnswer() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            sensor.discoverServices(nil)
            await phone.journal.wait(for: "services")
            phone.journal.clear()
            for service in sensor.services ?? [] {
                sensor.discoverCharacteristics(nil, for: service)
            }
            sensor.discoverServices(nil)
            await phone.journal.wait(for: "services")
            #expect(
                phone.journal.lines == [
                    "characteristics A000: A001,A002,A003,A004 ok",
                    "characteristics A100: A101 ok", "services A000,A100 ok",
                ]
            )
        }
    }

    @Test("6.8 Secondary services appear where they are included, and are not primary")
    func includedServices() async throws {
        let fixture = try Fixture()
        try await fixture.run {
            try await fixture.host { host in
                _ = try await host.publish(
                    .init(
                        BluetoothUUID(0xB100),
                        isPrimary: false,
                        [.init(BluetoothUUID(0xB101), .read)]
                    )
                )
                _ = try await host.publish(
                    .init(
                        BluetoothUUID(0xB000),
                        includes: [.uuid(BluetoothUUID(0xB100))],
                        [.init(BluetoothUUID(0xB001), .read)]
                    )
                )
                _ = try await host.advertise(Advertising(AdvertisingContent(localName: "Kit")))
                let phone = fixture.central()
                let kit = try await phone.connectedPeripheral("Kit")
                kit.discoverServices(nil)
                await phone.journal.wait(for: "services B000 ok")
                let primary = try kit.service("B000")
                #expect(primary.isPrimary)
                kit.discoverIncludedServices([CBUUID(string: "B1FF")], for: primary)
                await phone.journal.wait(for: "included B000:  ok")
                kit.discoverIncludedServices(nil, for: primary)
                await phone.journal.wait(for: "included B000: B100 ok")
                let secondary = try #require(primary.includedServices?.first)
                #expect(!secondary.isPrimary)
                kit.discoverCharacteristics(nil, for: secondary)
                await phone.journal.wait(for: "characteristics B100: B101 ok")
                #expect(kit.services == [primary])
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories
import VirtualRadio

@Suite("The end of a peripheral's link")
struct LinkEndTests {
    @Test("5.6 After the end of the link, nothing is reported and requests are not answered")
    func silence() async throws {
        let fixture = try Fixture(.quitter)
        try await fixture.run {
            let phone = fixture.central()
            let quitter = try await phone.connectedPeripheral("Quitter")
            await phone.explore(quitter)
            let leave = try quitter.characteristic("D001")
            quitter.writeValue(Data([1]), for: leave, type: .withResponse)
            for _ in 0..<10 { quitter.readValue(for: leave) }
            await phone.journal.wait(for: "disconnected Quitter CBError 7")
            let count = phone.journal.lines.count
            try await fixture.air.sleep(for: .seconds(40))
            #expect(phone.journal.lines.count == count)
        }
    }

    @Test("5.7, 5.8 After the end of the link, services are nil and their objects are invalid")
    func staleness() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            let strap = try await phone.connectedPeripheral("Strap")
            await phone.explore(strap)
            let rate = try strap.characteristic("2A37")
            let service = try #require(rate.service)
            strap.setNotifyValue(true, for: rate)
            await phone.journal.wait(for: "value 2A37")
            phone.manager.cancelPeripheralConnection(strap)
            await phone.journal.wait(for: "disconnected")
            #expect(strap.services == nil)
            #expect(!rate.isNotifying)
            phone.manager.connect(strap)
            await phone.journal.wait(for: "connected")
            strap.readValue(for: rate)
            await phone.explore(strap)
            #expect(try strap.service("180D") !== service)
            #expect(try strap.characteristic("2A37") !== rate)
        }
    }

    @Test("7.17 A request without an answer for 30 seconds ends the link with connectionTimeout")
    func timeOut() async throws {
        let fixture = try Fixture()
        let controller = try fixture.air.world.addController(
            ControllerConfiguration(name: "mute", at: Position(x: 1, y: 0))
        )
        fixture.air.world.attach(MuteAccessory(.sensor), to: controller)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let begin = fixture.air.now
            let value = try sensor.characteristic("A002")
            sensor.writeValue(Data(count: 400), for: value, type: .withResponse)
            await phone.journal.wait(for: "disconnected Sensor CBError 6")
            #expect(fixture.air.now - begin >= .seconds(29))
            #expect(fixture.air.now - begin < .seconds(35))
            #expect(phone.journal.lines.count == 1)
        }
    }

    @Test(
        "5.7, 5.1.2 While the system reconnects, services stay, but subscriptions end"
    )
    func reconnection() async throws {
        let fixture = try Fixture(.quitter)
        try await fixture.run {
            let phone = fixture.central()
            await phone.journal.wait(for: "state poweredOn")
            phone.manager.scanForPeripherals(withServices: nil)
            await phone.journal.wait(for: "discovered Quitter")
            let quitter = try #require(phone["Quitter"])
            quitter.delegate = phone
            phone.manager.connect(
                quitter,
                options: [CBConnectPeripheralOptionEnableAutoReconnect: true]
            )
            await phone.journal.wait(for: "connected")
            await phone.explore(quitter)
            let leave = try quitter.characteristic("D001")
            quitter.setNotifyValue(true, for: leave)
            await phone.journal.wait(for: "notifying D001 on ok")
            quitter.writeValue(Data([1]), for: leave, type: .withResponse)
            await phone.journal.wait(for: "disconnected Quitter CBError 7 reconnecting")
            #expect(try quitter.characteristic("D001") === leave)
            #expect(!leave.isNotifying)
            await phone.journal.wait(for: "connected")
            quitter.readValue(for: leave)
            await phone.journal.wait(for: "value D001")
            #expect(phone.journal.lines.last?.hasSuffix("ok") == true)
            phone.manager.cancelPeripheralConnection(quitter)
            await phone.journal.wait(for: "disconnected Quitter ok")
        }
    }
}

extension SimpleAccessoryProfile {
    /// An accessory that ends the link when a value is written.
    fileprivate static let quitter = SimpleAccessoryProfile(
        name: "Quitter",
        services: [
            Service(
                BluetoothUUID(0xD000),
                [
                    Characteristic(
                        BluetoothUUID(0xD001),
                        [.read, .write, .notify],
                        reaction: WriteReaction { _, _ in .accepted([.disconnect]) }
                    )
                ]
            )
        ]
    )
}

// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation
import Testing
import VirtualAccessories

@Suite("Notifications and indications")
struct NotificationTests {
    @Test("7.11 Notifications are preferred to indications")
    func preference() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let both = try sensor.characteristic("A003")
            sensor.setNotifyValue(true, for: both)
            await phone.journal.wait(for: "notifying A003 on ok")
            #expect(both.isNotifying)
            sensor.readValue(for: try #require(both.descriptors?.first))
            await phone.journal.wait(for: "descriptor 2902 1 ok")
            let indicated = try sensor.characteristic("A004")
            sensor.setNotifyValue(true, for: indicated)
            await phone.journal.wait(for: "notifying A004 on ok")
            sensor.readValue(for: try #require(indicated.descriptors?.first))
            await phone.journal.wait(for: "descriptor 2902 2 ok")
        }
    }

    @Test("7.11 A request for the current state is answered without radio traffic")
    func sameState() async throws {
        let fixture = try Fixture(.sensor)
        let (adapter, transport) = try fixture.addCountedAdapter()
        try await fixture.run {
            let phone = fixture.central(on: adapter)
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            let value = try sensor.characteristic("A004")
            sensor.setNotifyValue(true, for: value)
            await phone.journal.wait(for: "notifying A004 on ok")
            try await fixture.air.sleep(for: .seconds(1))
            let count = transport.sentCount
            sensor.setNotifyValue(true, for: value)
            await phone.journal.wait(for: "notifying A004 on ok", count: 2)
            sensor.setNotifyValue(false, for: try sensor.characteristic("A003"))
            await phone.journal.wait(for: "notifying A003 off ok")
            #expect(transport.sentCount == count)
            sensor.setNotifyValue(false, for: value)
            await phone.journal.wait(for: "notifying A004 off ok")
            #expect(transport.sentCount > count)
            await adapter.shutDown()
        }
    }

    @Test("7.11 A value without notifications and indications cannot be subscribed to")
    func notSubscribable() async throws {
        let fixture = try Fixture(.sensor)
        try await fixture.run {
            let phone = fixture.central()
            let sensor = try await phone.connectedPeripheral("Sensor")
            await phone.explore(sensor)
            sensor.setNotifyValue(true, for: try sensor.characteristic("A001"))
            await phone.journal.wait(for: "notifying A001 off CBATTError 6")
        }
    }

    @Test("7.11 Subscribing works without a discovery of the descriptor")
    func undiscoveredDescriptor() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let phone = fixture.central()
            let strap = try await phone.connectedPeripheral("Strap")
            strap.discoverServices([CBUUID(string: "180D")])
            await phone.journal.wait(for: "services")
            strap.discoverCharacteristics([CBUUID(string: "2A37")], for: try strap.service("180D"))
            await phone.journal.wait(for: "characteristics")
            let rate = try strap.characteristic("2A37")
            strap.setNotifyValue(true, for: rate)
            await phone.journal.wait(for: "value 2A37", count: 2)
            #expect(rate.descriptors == nil)
        }
    }

    @Test("7.11 A manager that unsubscribes does not affect another manager's subscription")
    func severalManagers() async throws {
        let fixture = try Fixture(.heartRate(name: "Strap"))
        try await fixture.run {
            let (one, two) = (fixture.central(), fixture.central())
            let first = try await one.connectedPeripheral("Strap")
            let second = try await two.join(first)
            #expect(first !== second)
            let values = try await [Self.listen(one, to: first), Self.listen(two, to: second)]
            first.setNotifyValue(false, for: values[0])
            await one.journal.wait(for: "notifying 2A37 off ok")
            one.journal.clear()
            two.journal.clear()
            await two.journal.wait(for: "value 2A37", count: 2)
            #expect(one.journal.lines.isEmpty)
            #expect(values[1].isNotifying)
            first.setNotifyValue(true, for: values[0])
            await one.journal.wait(for: "value 2A37", count: 1)
            two.manager.cancelPeripheralConnection(second)
            await two.journal.wait(for: "disconnected")
            two.journal.clear()
            one.journal.clear()
            await one.journal.wait(for: "value 2A37", count: 2)
            #expect(two.journal.lines.isEmpty)
            #expect(first.state == .connected)
        }
    }

    private static func listen(
        _ phone: CentralRecorder,
        to strap: CBPeripheral
    ) async throws -> CBCharacteristic {
        await phone.explore(strap)
        let rate = try strap.characteristic("2A37")
        strap.setNotifyValue(true, for: rate)
        await phone.journal.wait(for: "value 2A37")
        return rate
    }
}
